#include <fmt/format.h>

#include "dataplane/capture/dissection.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/icmpv6.h"

namespace overlane::capture {
namespace {

constexpr std::size_t kIcmpChecksumOffset = 2;

/// Unused fields of an error; types that are not read have other words there. The checksum only of
/// a whole message.
wire::Problems judged(wire::Problems problems, bool is_error, bool has_checksum) {
  wire::Problems kept;
  kept.add(wire::Problem::WrongChecksum,
           problems.has(wire::Problem::WrongChecksum) && has_checksum);
  kept.add(wire::Problem::ReservedBits, problems.has(wire::Problem::ReservedBits) && is_error);
  return kept;
}

/// The rest of an error's header, which holds the reserved bits, or the checksum.
std::string values_of(wire::Problem problem, const Slice& slice) {
  const std::uint8_t* bytes = slice.bytes.data();
  if (problem == wire::Problem::WrongChecksum)
    return wrong_checksum(load_be16(bytes + kIcmpChecksumOffset), internet_checksum(slice.bytes));
  return fmt::format("{:#010x}", load_be32(bytes + 4));
}

/// The front of the packet that an error is about.
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
  // The checksum is judged below, where one that was left to offload is none that is wrong.
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
