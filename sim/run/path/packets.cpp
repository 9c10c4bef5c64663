#include "sim/run/path/packets.h"

namespace overlane::run {

PacketId Packets::add_error_about(PacketId cause) {
  const Packet& packet = pool_[cause];
  return add(Packet{.sender = packet.sender,
                    .node = packet.node,
                    .group = packet.group,
                    .core = packet.core,
                    .kind = Packet::Kind::Packet,
                    .is_icmp = true,
                    .sampled = packet.sampled});
}

PacketId Packets::add_fragment_of(PacketId id) {
  Packet fragment = pool_[id];
  fragment.host_bytes = 0;
  fragment.cache_entry = kNone;
  fragment.header = kNone;
  const transport::Segment segment = pool_.segment(id);
  const PacketId next = add(fragment);
  pool_.segment(next) = segment;
  return next;
}

void Packets::drop(PacketId id, Drop reason) {
  Packet& packet = pool_[id];
  leave_host(packet);
  accounts_.dropped(packet.group, reason, packet.packets);
  if (loss_observer_ != nullptr) loss_observer_->see_lost(packet, reason);
  let_go(id, TracePoint::Dropped, reason);
}

void Packets::hold(HeldFragments::Place place, const node::ReassemblyKey& key, PacketId id,
                   Picos longest, StationEvent expiry) {
  leave_host(pool_[id]);
  if (held_.hold(place, key, pool_[id])) scheduler_.schedule(now() + longest, expiry.packed());
  let_go(id, TracePoint::Held);
}

std::vector<std::uint32_t> Packets::groups_in_flight() const {
  std::vector<std::uint32_t> groups;
  for (const Packet& packet : pool_.slots())
    if (packet.kind == Packet::Kind::Packet)
      groups.insert(groups.end(), packet.packets, packet.group);
  held_.list(groups);
  return groups;
}

}  // namespace overlane::run
