#include "dataplane/capture/dissection.h"
#include "dataplane/wire/arp.h"

namespace overlane::capture {

Slice decode_arp(Dissection& dissection, const Slice& slice) {
  constexpr auto kKind = LayerKind::Arp;
  const auto inspected = wire::inspect_arp(slice.bytes);
  if (!inspected) {
    dissection.add_cut_header(kKind, slice);
    return slice.end();
  }
  const auto& [packet, problems] = *inspected;
  dissection.add_problems(kKind, problems, slice);
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
