#include "dataplane/capture/dissection.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip.h"

namespace overlane::capture {
namespace {

/// Compares one's complement sums, in which 0 and 0xffff are the same number.
bool is_same_sum(std::uint16_t a, std::uint16_t b) {
  return a % 0xffff == b % 0xffff;
}

}  // namespace

Slice Slice::from(std::size_t offset) const {
  return {bytes.subspan(std::min(offset, bytes.size())), length - std::min(offset, length),
          is_fragment};
}

Slice Slice::first(std::size_t count) const {
  return {bytes.first(std::min(count, bytes.size())), std::min(count, length), is_fragment};
}

std::size_t Dissection::add(LayerKind kind, const Slice& slice, std::size_t bytes, Fields fields) {
  if (quoted_) fields.emplace_back("quoted", std::uint64_t{1});
  decoded_.layers.push_back({.kind = kind,
                             .offset = static_cast<std::size_t>(slice.bytes.data() - packet_),
                             .bytes = std::min(bytes, slice.bytes.size()),
                             .fields = std::move(fields)});
  return decoded_.layers.size() - 1;
}

void Dissection::add_note(std::size_t layer, std::string text) {
  decoded_.layers[layer].fields.emplace_back("note", std::move(text));
}

void Dissection::add_payload(const Slice& slice) {
  if (slice.length == 0) return;
  add(LayerKind::Payload, slice, slice.length, {{"length", slice.length}});
}

void Dissection::add_padding(const Slice& slice) {
  if (slice.length == 0) return;
  add(LayerKind::Padding, slice, slice.length, {{"length", slice.length}});
}

void Dissection::add_trailer(LayerKind behind, const Slice& slice) {
  if (slice.length == 0) return;
  add_problem(behind, fmt::format("{} bytes follow its end", slice.length));
  add_payload(slice);
}

void Dissection::add_cut_header(LayerKind kind, const Slice& slice) {
  add_problem(kind, fmt::format("the header is cut after {} bytes", slice.bytes.size()));
  add_payload(slice);
}

void Dissection::add_problem(LayerKind kind, std::string_view what) {
  if (!quoted_) decoded_.problems.push_back(fmt::format("{}: {}", to_string(kind), what));
}

void Dissection::add_problems(LayerKind kind, wire::Problems problems, const Slice& slice,
                              const ProblemValues& values) {
  for (const wire::Problem problem : problems.list()) {
    const bool is_of_the_end =
        problem == wire::Problem::HeaderTruncated || problem == wire::Problem::LengthBeyondPacket ||
        problem == wire::Problem::BadOption || problem == wire::Problem::WrongSize;
    if (!slice.is_whole() && is_of_the_end) continue;
    const std::string found = values(problem);
    add_problem(kind, found.empty() ? std::string(facts(problem).meaning)
                                    : fmt::format("{} ({})", facts(problem).meaning, found));
  }
}

bool Dissection::enter_ip(LayerKind kind, const Slice& slice) {
  if (++ip_headers_ <= kMaxIpHeaders) return true;
  add_problem(kind, fmt::format("more than {} IP headers stand inside each other; the rest is not "
                                "looked into",
                                kMaxIpHeaders));
  add_payload(slice);
  return false;
}

std::uint16_t Dissection::completed(std::uint16_t checksum,
                                    std::span<const std::uint8_t> segment) const {
  for (const Completion& completion : completions_) {
    const bool is_inside =
        completion.at >= segment.data() && completion.at < segment.data() + segment.size();
    if (is_inside)
      checksum = updated_checksum(checksum, load_be16(completion.at), completion.value);
  }
  return checksum;
}

// Linux writes the sum of the pseudo header into the field and leaves the rest to the NIC
// (CHECKSUM_PARTIAL, include/linux/skbuff.h). The outer checksum of a tunnel is then computed for
// the packet with the complete inner checksum (lco_csum, include/linux/skbuff.h).
void Dissection::judge_checksum(std::size_t layer, const Upper& upper,
                                std::span<const std::uint8_t> segment, std::size_t offset,
                                const ChecksumCounts& inside) {
  const std::uint16_t checksum = completed(
      transport_checksum(upper.source, upper.destination, upper.protocol, segment), segment);
  if (checksum == 0) return count_checksum(true);
  const std::uint8_t* at = segment.data() + offset;
  if (is_same_sum(load_be16(at), pseudo_header_sum(upper.source, upper.destination, upper.protocol,
                                                   segment.size()))) {
    // The field counts as zero in the new sum.
    std::uint16_t complete = updated_checksum(checksum, load_be16(at), 0);
    if (complete == 0 && upper.protocol == wire::kUdp) complete = 0xffff;
    completions_.push_back({at, complete});
    ++checksums_.left_to_offload;
    add_note(layer, "checksum left to offload");
    return;
  }
  count_checksum(false);
  std::string problem = fmt::format("{} ({})", facts(wire::Problem::WrongChecksum).meaning,
                                    wrong_checksum(load_be16(at), checksum));
  if (inside.wrong == 0 && inside.right + inside.left_to_offload > 0) {
    problem += inside.left_to_offload > 0
                   ? "; the checksum of the packet inside was left to offload, too"
                   : "; the packet inside is intact";
    if (!decoded_.wrong_outer_checksum) decoded_.wrong_outer_checksum = layer;
  }
  add_problem(decoded_.layers[layer].kind, problem);
}

std::string too_few(std::size_t found, std::size_t least) {
  return fmt::format("{}, expected at least {}", found, least);
}

std::string too_many(std::size_t found, std::size_t there) {
  return fmt::format("{}, {} are there", found, there);
}

std::string other_version(unsigned found, unsigned expected) {
  return fmt::format("version {}, expected {}", found, expected);
}

std::string wrong_checksum(std::uint16_t found, std::uint16_t sum) {
  // The field counts as zero in the new sum. In UDP a value of 0 means "no checksum"; for the other
  // protocols 0xffff is the same number.
  const std::uint16_t expected = updated_checksum(sum, found, 0);
  return fmt::format("{:#06x}, expected {:#06x}", found, expected == 0 ? 0xffff : expected);
}

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

Slice decode_ip(Dissection& dissection, const Slice& slice) {
  const unsigned version = slice.bytes.empty() ? 0 : slice.bytes[0] / 16u;
  if (version == 4) return decode_ipv4(dissection, slice);
  if (version == 6) return decode_ipv6(dissection, slice);
  if (!slice.bytes.empty()) {
    dissection.add_problem(LayerKind::Payload,
                           fmt::format("IP version {} is neither 4 nor 6", version));
  }
  dissection.add_payload(slice);
  return slice.end();
}

void decode_upper(Dissection& dissection, const Upper& upper, const Slice& slice) {
  switch (upper.protocol) {
    case wire::kIcmp:
      return decode_icmp(dissection, slice);
    case wire::kIpv4InIp:
      return dissection.add_trailer(LayerKind::Ipv4, decode_ipv4(dissection, slice));
    case wire::kTcp:
      return decode_tcp(dissection, upper, slice);
    case wire::kUdp:
      return decode_udp(dissection, upper, slice);
    case wire::kIpv6InIp:
      return dissection.add_trailer(LayerKind::Ipv6, decode_ipv6(dissection, slice));
    case wire::kIcmpv6:
      return decode_icmpv6(dissection, upper, slice);
    default:
      return dissection.add_payload(slice);
  }
}

}  // namespace overlane::capture
