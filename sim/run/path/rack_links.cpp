#include "sim/run/path/rack_links.h"

namespace overlane::run {

RackLinks::RackLinks(const fabric::RackPlan& plan, const fabric::Racks& racks, std::size_t ends,
                     Packets& packets)
    : plan_(plan),
      packets_(packets),
      link_(racks.uplink),
      up_(std::size_t{plan.count()} * plan.spines(),
          Station{core::FifoServer(racks.queue_packets), {}}),
      down_(up_),
      last_spine_(ends) {}

/// A link takes a packet that arrives now, or has no room for it.
void RackLinks::accept(Station& link, PacketId id, StationEvent event) {
  const Picos now = packets_.now();
  const auto sent = link.server.arrive(now, link_.frame_time(packets_[id].length));
  if (!sent) return packets_.drop(id, Drop::FabricQueueFull);
  fullest_ = std::max(fullest_, link.server.present(now));
  packets_.wait(link.pipe, id, *sent, event);
}

PacketId RackLinks::leave(Station& link, StationEvent event) {
  const PacketId id = packets_.take(link.pipe, event);
  link.server.leave();
  packets_.count_hops();
  return id;
}

std::uint32_t RackLinks::leaf_done(std::uint32_t number) {
  const PacketId id = leave(up_[number], {EventKind::LeafDone, number});
  const std::uint32_t to = packets_[id].node;
  const std::uint32_t down = this->number(to, packets_[id].spine);
  accept(down_[down], id, {EventKind::SpineDone, down});
  return to;
}

std::uint32_t RackLinks::most_present(Picos now) const {
  std::uint32_t most = 0;
  for (const auto* links : {&up_, &down_})
    for (const Station& link : *links)
      most = std::max(most, link.server.present(now));
  return most;
}

void RackLinks::begin_measuring(Picos now) {
  for (auto* links : {&up_, &down_})
    for (Station& link : *links)
      link.server.begin_measuring(now);
}

}  // namespace overlane::run
