#include "sim/run/path/fabric_links.h"

namespace overlane::run {

using transport::kNever;

Ports::Ports(const Network& network, Packets& packets, Entrance exit)
    : packets_(packets), exit_(exit) {
  ports_.reserve(network.machines.size());
  for (const host::Machine& machine : network.machines)
    ports_.emplace_back(host::Link(machine.nic_rate), network.paths.port_queue_packets);
}

void Ports::enter(PacketId id) {
  const std::uint32_t node = packets_[id].node;
  Port& port = ports_[node];
  accept(port, id, packets_.now());
  plan(node, port);
}

void Ports::accept(Port& port, PacketId id, Picos at) {
  Packet& packet = packets_[id];
  const auto received = port.station.server.arrive(at, port.link.frame_time(packet.length));
  if (!received) return packets_.drop(id, Drop::FabricQueueFull);
  packet.at = *received;
  packets_.queue(port.station.pipe, id);
}

void Ports::admit_due(Port& port, Picos now) {
  for (ArrivalQueue* coming = port.next(); coming != nullptr && coming->first().at <= now;
       coming = port.next()) {
    const Arrival packet = coming->first();
    coming->pop();
    accept(port, packet.id, packet.at);
  }
}

void Ports::take_out(std::uint32_t node, std::vector<Arrival>& out) {
  Port& port = ports_[node];
  const std::size_t before = out.size();
  Picos start;
  Picos work;
  while (!port.station.pipe.empty()) {
    const PacketId id = packets_.unqueue(port.station.pipe);
    const Picos time = port.link.frame_time(packets_[id].length);
    if (out.size() == before) start = packets_[id].at - time;
    work += time;
    out.push_back({start, id, kNone});
  }
  const std::size_t admitted = out.size() - before;
  for (std::size_t i = 0; i < admitted; ++i)
    out[before + i].at -= Picos{static_cast<std::int64_t>(admitted - i)};
  if (admitted > 0) port.station.server.take_back_all(work, start);
  for (ArrivalQueue* coming = port.next(); coming != nullptr; coming = port.next()) {
    out.push_back(coming->first());
    coming->pop();
  }
  port.due = kNever;
}

void Ports::admit_all(Picos now) {
  for (Port& port : ports_)
    admit_due(port, now);
}

/// Schedules the event at which the port is done with its first packet. If a packet arrives
/// earlier, the event is superseded.
void Ports::plan(std::uint32_t node, Port& port) {
  Picos done;
  if (!port.station.pipe.empty()) {
    port.expected = port.station.pipe.first();
    done = packets_[port.expected].at;
  } else if (const ArrivalQueue* coming = port.next()) {
    const Arrival& first = coming->first();
    port.expected = first.id;
    done = std::max(first.at, port.station.server.free_at()) +
           port.link.frame_time(packets_[first.id].length);
  } else {
    return;
  }
  if (done >= port.due) return;
  port.due = done;
  packets_.schedule(done, {EventKind::PortDone, node});
}

Handoff Ports::done(std::uint32_t node) {
  const Picos now = packets_.now();
  Port& port = ports_[node];
  const bool is_superseded = port.due != now;
  PacketId id = kNone;
  if (!is_superseded) {
    port.due = kNever;
    admit_due(port, now);
    id = packets_.due(port.station.pipe);
    if (id != kNone) packets_.unqueue(port.station.pipe);
    plan(node, port);
  }
  if (id == kNone) {  // Superseded: a packet that arrived earlier has delayed this one.
    packets_.uncount_event();
    return {};
  }
  port.station.server.leave();
  packets_.count_hops();
  if (port.node_runs) return {id, exit_};
  packets_.drop(id, Drop::NodeGone);
  return {};
}

void Ports::begin_measuring(Picos now) {
  for (Port& port : ports_)
    port.station.server.begin_measuring(now);
}

RackLinks::RackLinks(const fabric::RackPlan& plan, const fabric::Racks& racks, std::size_t ends,
                     Packets& packets)
    : plan_(plan),
      packets_(packets),
      link_(racks.uplink),
      up_(std::size_t{plan.count()} * plan.spines(),
          Station{core::FifoServer(racks.queue_packets), {}}),
      down_(up_),
      last_spine_(ends) {}

/// A packet arrives at a link now; a full queue drops it.
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
