#include <string>

#include <fmt/format.h>

#include "dataplane/capture/dissection.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/transport.h"

namespace overlane::capture {
namespace {

constexpr std::size_t kUdpChecksumOffset = 6;

/// Checks a zero UDP checksum, which means "no checksum". It is always allowed over IPv4, and over
/// IPv6 only for tunnels (RFC 8200 8.1, RFC 6935).
void judge_zero_checksum(Dissection& dissection, const Upper& upper, bool is_tunnel) {
  if (!upper.source.is_ipv4() && !is_tunnel)
    dissection.add_problem(LayerKind::Udp, "the checksum is zero over IPv6 outside of a tunnel");
}

constexpr std::size_t kTcpChecksumOffset = 16;

/// Option kinds (IANA TCP parameters).
constexpr std::uint8_t kMss = 2;
constexpr std::uint8_t kWindowScale = 3;
constexpr std::uint8_t kSackPermitted = 4;
constexpr std::uint8_t kSack = 5;
constexpr std::uint8_t kTimestamps = 8;

std::vector<Fields> options_of(const wire::TcpHeader& header) {
  std::vector<Fields> list;
  if (header.mss) list.push_back({{"option_kind", kMss}, {"mss_val", *header.mss}});
  if (header.window_scale)
    list.push_back({{"option_kind", kWindowScale}, {"shift", *header.window_scale}});
  if (header.sack_permitted) list.push_back({{"option_kind", kSackPermitted}});
  if (header.timestamps) {
    list.push_back({{"option_kind", kTimestamps},
                    {"tsval", std::uint64_t{header.timestamps->value}},
                    {"tsecr", std::uint64_t{header.timestamps->echo}}});
  }
  for (std::size_t at = 0; at < header.sack_block_count; ++at) {
    const wire::TcpSackBlock& block = header.sack_blocks[at];
    list.push_back({{"option_kind", kSack},
                    {"sack_le", std::uint64_t{block.left}},
                    {"sack_re", std::uint64_t{block.right}}});
  }
  return list;
}

Fields fields_of(const wire::ParsedTcp& parsed) {
  const wire::TcpHeader& header = parsed.header;
  return {
      {"srcport", header.source_port},         {"dstport", header.destination_port},
      {"seq", std::uint64_t{header.sequence}}, {"ack", std::uint64_t{header.acknowledgement}},
      {"hdr_len", parsed.header_bytes},        {"flags", header.reserved_4 * 256u + header.flags},
      {"window_size_value", header.window},    {"checksum", header.checksum},
      {"urgent_pointer", header.urgent},       {"options", options_of(header)}};
}

constexpr std::size_t kIcmpChecksumOffset = 2;

/// Removes problems that do not apply: unused fields exist only in known ICMP errors, and a
/// checksum can be checked only in a complete message.
wire::Problems judged(wire::Problems problems, bool is_error, bool has_checksum) {
  wire::Problems kept;
  kept.add(wire::Problem::WrongChecksum,
           problems.has(wire::Problem::WrongChecksum) && has_checksum);
  kept.add(wire::Problem::ReservedBits, problems.has(wire::Problem::ReservedBits) && is_error);
  return kept;
}

/// Values of a problem of an ICMP error: the second half of its header, which contains reserved
/// bits, or the checksum.
std::string values_of(wire::Problem problem, const Slice& slice) {
  const std::uint8_t* bytes = slice.bytes.data();
  if (problem == wire::Problem::WrongChecksum)
    return wrong_checksum(load_be16(bytes + kIcmpChecksumOffset), internet_checksum(slice.bytes));
  return fmt::format("{:#010x}", load_be32(bytes + 4));
}

/// Decodes the quoted start of the packet that caused an ICMP error.
void decode_quote(Dissection& dissection, const Slice& slice) {
  Slice quote = slice;
  quote.is_fragment = true;
  dissection.enter_quote();
  dissection.add_payload(decode_ip(dissection, quote));
}

Fields fields_of(const wire::IcmpHeader& header, std::span<const std::uint8_t> bytes) {
  Fields fields{{"type", header.type},
                {"code", header.code},
                {"checksum", load_be16(bytes.data() + kIcmpChecksumOffset)}};
  switch (header.type) {
    case wire::kIcmpEcho:
    case wire::kIcmpEchoReply:
    case wire::kIcmpTimestamp:
    case wire::kIcmpTimestampReply:
    case wire::kIcmpInformation:
    case wire::kIcmpInformationReply:
      fields.emplace_back("ident", header.identifier);
      fields.emplace_back("seq", header.sequence);
      break;
    case wire::kIcmpRedirect:
      fields.emplace_back("redir_gw", header.gateway.to_string());
      break;
    case wire::kIcmpParameterProblem:
      fields.emplace_back("pointer", header.pointer);
      break;
    case wire::kIcmpUnreachable:
      if (header.code == wire::kIcmpFragmentationNeeded)
        fields.emplace_back("mtu", header.next_hop_mtu);
      break;
    default:
      break;
  }
  return fields;
}

Fields fields_of(const wire::Icmpv6Header& header, std::span<const std::uint8_t> bytes) {
  Fields fields{{"type", header.type},
                {"code", header.code},
                {"checksum", load_be16(bytes.data() + kIcmpChecksumOffset)}};
  switch (header.type) {
    case wire::kIcmpv6Echo:
    case wire::kIcmpv6EchoReply:
      fields.emplace_back("identifier", header.identifier);
      fields.emplace_back("sequence_number", header.sequence);
      break;
    case wire::kIcmpv6PacketTooBig:
      fields.emplace_back("mtu", std::uint64_t{header.mtu});
      break;
    case wire::kIcmpv6ParameterProblem:
      fields.emplace_back("pointer", std::uint64_t{header.pointer});
      break;
    default:
      break;
  }
  return fields;
}

}  // namespace

void decode_udp(Dissection& dissection, const Upper& upper, const Slice& slice) {
  constexpr auto kKind = LayerKind::Udp;
  const auto inspected = wire::inspect_udp(slice.bytes, wire::ZeroLength::MeansFrame);
  if (!inspected) return dissection.add_cut_header(kKind, slice);
  const auto& [header, problems] = *inspected;
  dissection.add_problems(kKind, problems, slice,
                          [&slice, found = header.length](wire::Problem problem) {
                            if (problem == wire::Problem::LengthTooShort)
                              return too_few(found, wire::kUdpBytes);
                            if (problem == wire::Problem::LengthBeyondPacket)
                              return too_many(found, slice.length);
                            return std::string();
                          });
  const std::size_t layer = dissection.add(kKind, slice, wire::kUdpBytes,
                                           {{"srcport", header.source_port},
                                            {"dstport", header.destination_port},
                                            {"length", header.length},
                                            {"checksum", header.checksum}});
  if (header.length == 0) dissection.add_note(layer, "super-packet of length 0");
  const Slice datagram = slice.claimed(header.length, wire::kUdpBytes);
  const Slice payload = datagram.from(wire::kUdpBytes);
  const ChecksumCounts before = dissection.checksums();
  const bool is_tunnel =
      decode_tunnel(dissection, header.source_port, header.destination_port, payload);
  if (!is_tunnel) dissection.add_payload(payload);
  if (header.checksum == 0) {
    judge_zero_checksum(dissection, upper, is_tunnel);
  } else if (datagram.is_whole() && problems.empty()) {
    dissection.judge_checksum(layer, upper, datagram.bytes, kUdpChecksumOffset,
                              dissection.checksums() - before);
  }
  dissection.add_trailer(kKind, slice.from(datagram.length));
}

void decode_tcp(Dissection& dissection, const Upper& upper, const Slice& slice) {
  constexpr auto kKind = LayerKind::Tcp;
  const auto inspected = wire::inspect_tcp(slice.bytes);
  if (!inspected) return dissection.add_cut_header(kKind, slice);
  const auto& [parsed, problems] = *inspected;
  dissection.add_problems(kKind, problems, slice,
                          [&slice, found = parsed.header_bytes](wire::Problem problem) {
                            if (problem == wire::Problem::HeaderTooShort)
                              return too_few(found, wire::kTcpBytes);
                            if (problem == wire::Problem::HeaderTruncated)
                              return too_many(found, slice.length);
                            return std::string();
                          });
  const std::size_t header_bytes = std::max(parsed.header_bytes, wire::kTcpBytes);
  const std::size_t layer = dissection.add(kKind, slice, header_bytes, fields_of(parsed));
  dissection.add_payload(slice.from(header_bytes));
  if (slice.is_whole()) dissection.judge_checksum(layer, upper, slice.bytes, kTcpChecksumOffset);
}

void decode_icmp(Dissection& dissection, const Slice& slice) {
  constexpr auto kKind = LayerKind::Icmp;
  const auto inspected = wire::inspect_icmp(slice.bytes);
  if (!inspected) return dissection.add_cut_header(kKind, slice);
  const auto& [header, problems] = *inspected;
  dissection.add_problems(kKind, judged(problems, header.is_error(), slice.is_whole()), slice,
                          [&slice](wire::Problem problem) { return values_of(problem, slice); });
  if (slice.is_whole()) dissection.count_checksum(!problems.has(wire::Problem::WrongChecksum));
  dissection.add(kKind, slice, wire::kIcmpBytes, fields_of(header, slice.bytes));
  const Slice rest = slice.from(wire::kIcmpBytes);
  if (header.is_error()) return decode_quote(dissection, rest);
  dissection.add_payload(rest);
}

void decode_icmpv6(Dissection& dissection, const Upper& upper, const Slice& slice) {
  constexpr auto kKind = LayerKind::Icmpv6;
  const auto inspected = wire::inspect_icmpv6(upper.source, upper.destination, slice.bytes);
  if (!inspected) return dissection.add_cut_header(kKind, slice);
  const auto& [header, problems] = *inspected;
  // The checksum is checked below, because a checksum that was left to offload is not a problem.
  dissection.add_problems(kKind, judged(problems, header.is_error(), false), slice,
                          [&slice](wire::Problem problem) { return values_of(problem, slice); });
  const std::size_t layer =
      dissection.add(kKind, slice, wire::kIcmpv6Bytes, fields_of(header, slice.bytes));
  if (slice.is_whole()) dissection.judge_checksum(layer, upper, slice.bytes, kIcmpChecksumOffset);
  const Slice rest = slice.from(wire::kIcmpv6Bytes);
  if (header.is_error()) return decode_quote(dissection, rest);
  dissection.add_payload(rest);
}

}  // namespace overlane::capture
