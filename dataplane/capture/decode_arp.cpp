#include <fmt/format.h>

#include "dataplane/capture/dissection.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/arp.h"

namespace overlane::capture {
namespace {

/// ARP resolves IPv4 addresses to Ethernet addresses here: hardware 1, protocol 0x0800, lengths 6
/// and 4 (RFC 826).
std::string values_of(wire::Problem problem, const std::uint8_t* bytes) {
  if (problem == wire::Problem::UnknownKind)
    return fmt::format("hardware {}, protocol {:#06x}; expected 1 and 0x0800", load_be16(bytes),
                       load_be16(bytes + 2));
  return fmt::format("address lengths {} and {}, expected 6 and 4", bytes[4], bytes[5]);
}

}  // namespace

Slice decode_arp(Dissection& dissection, const Slice& slice) {
  constexpr auto kKind = LayerKind::Arp;
  const auto inspected = wire::inspect_arp(slice.bytes);
  if (!inspected) {
    dissection.add_cut_header(kKind, slice);
    return slice.end();
  }
  const auto& [packet, problems] = *inspected;
  dissection.add_problems(kKind, problems, slice, [&slice](wire::Problem problem) {
    return values_of(problem, slice.bytes.data());
  });
  Fields fields{{"opcode", packet.operation}};
  const bool has_addresses =
      !problems.has(wire::Problem::UnknownKind) && !problems.has(wire::Problem::WrongSize);
  if (has_addresses) {
    fields.insert(fields.end(), {{"src_hw_mac", packet.sender_mac.to_string()},
                                 {"src_proto_ipv4", packet.sender.to_string()},
                                 {"dst_hw_mac", packet.target_mac.to_string()},
                                 {"dst_proto_ipv4", packet.target.to_string()}});
  }
  dissection.add(kKind, slice, wire::kArpBytes, std::move(fields));
  return slice.from(wire::kArpBytes);
}

}  // namespace overlane::capture
