#include "sim/run/path/carrier.h"

namespace overlane::run {

// From rack to rack: the leaf's link to the spine that the packet's flow hashes to, and the spine's
// link to the other leaf. One flow takes one way, so its packets keep their order.

void Carrier::choose_spine(PacketId id, std::uint32_t from) {
  PacketInFlight& flight = flights_[id];
  if (racks_->plan().share_rack(from, flight.node)) return;
  flight.spine = decisions_.spine(flight, from);
  racks_->note_spine(flight.sender, flight.spine);
}

/// A link takes a packet that arrives now, or has no room for it.
void Carrier::enter_link(Station& link, PacketId id, What what) {
  const auto sent = link.server.arrive(scheduler_.now(), racks_->frame_time(flights_[id].length));
  if (!sent) return finish(id, Drop::FabricQueueFull);
  racks_->note_present(link.server.present(scheduler_.now()));
  wait(link.pipe, id, *sent, what);
}

PacketId Carrier::leave_link(Station& link, What what) {
  const PacketId id = take(link.pipe, what);
  link.server.leave();
  ++packet_hops_;
  return id;
}

EndId Carrier::enter_uplink(PacketId id, std::uint32_t from) {
  const EndId end = flights_[id].sender;
  const std::uint32_t number = racks_->number(from, flights_[id].spine);
  enter_link(racks_->up(number), id, {EventKind::LeafDone, number});
  return end;
}

void Carrier::leaf_done(std::uint32_t number) {
  const PacketId id = leave_link(racks_->up(number), {EventKind::LeafDone, number});
  const PacketInFlight& flight = flights_[id];
  stations_[flight.node].port.prefetch();  // It is there in a moment.
  const std::uint32_t down = racks_->number(flight.node, flight.spine);
  enter_link(racks_->down(down), id, {EventKind::SpineDone, down});
}

}  // namespace overlane::run
