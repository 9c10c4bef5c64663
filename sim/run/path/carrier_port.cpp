#include "sim/run/path/carrier.h"

namespace overlane::run {

// The fabric's last link to a node's NIC.

using transport::kNever;

/// A packet's arrival time at a port is known when it is sent, but not yet what arrives before it.
/// So it waits in the list of arrivals until a packet leaves the port: one event for each packet.
/// A full queue refuses it then, not at its arrival.
void Carrier::enqueue_arrival(PacketId id, std::uint32_t from, std::uint16_t way, Picos at) {
  const std::uint32_t node = flights_[id].node;
  Port& port = stations_[node].port;
  if (port.coming(way).insert({at, id, from}) && port.pipe.empty()) plan_port(node);
}

/// The packet has crossed the fabric: it enters the receiver's port at once, or waits for the
/// receiver's allowance.
[[gnu::always_inline]] inline EndId Carrier::reach_node(PacketId id) {
  const PacketInFlight& flight = flights_[id];
  const EndId end = flight.sender;
  if (network_.limits.has_allowances()) {
    Allowance& in = shapers_[flight.node].in;
    const auto at = allowed(in, id);
    if (!at) {
      finish(id, Drop::FabricQueueFull);
      return end;
    }
    if (!passes(in, id, *at, {EventKind::Allowance, flight.node, kIn})) return end;
  }
  decisions_.prefetch(flight);
  enter_port(id);
  return end;
}

EndId Carrier::port_arrive(std::uint32_t sender, std::uint16_t way) {
  const PacketId id =
      take(stations_[sender].delay_lines[way].pipe, {EventKind::PortArrive, sender, way});
  if (racks_ && !racks_->plan().share_rack(sender, flights_[id].node))
    return enter_uplink(id, sender);
  return reach_node(id);
}

EndId Carrier::spine_done(std::uint32_t number) {
  return reach_node(leave_link(racks_->down(number), {EventKind::SpineDone, number}));
}

/// A packet has crossed the fabric.
void Carrier::enter_port(PacketId id) {
  const std::uint32_t node = flights_[id].node;
  enter(stations_[node], id, scheduler_.now());
  plan_port(node);
}

void Carrier::enter(NodeStations& node, PacketId id, Picos at) {
  const auto received = node.port.server.arrive(at, node.link.frame_time(flights_[id].length));
  if (!received) return finish(id, Drop::FabricQueueFull);
  flights_[id].at = *received;
  node.port.pipe.push(flights_, id);
}

/// Lets in what has come by `now`.
void Carrier::admit_due_arrivals(NodeStations& node, Picos now) {
  for (ArrivalQueue* coming = node.port.next(); coming != nullptr && coming->first().at <= now;
       coming = node.port.next()) {
    const Arrival packet = coming->first();
    coming->pop();
    enter(node, packet.id, packet.at);
  }
}

void Carrier::let_in_all(Picos now) {
  for (NodeStations& node : stations_)
    admit_due_arrivals(node, now);
}

/// Sets an event for when the port will have done with the first packet, unless another comes
/// before that.
void Carrier::plan_port(std::uint32_t node) {
  Port& port = stations_[node].port;
  Picos done;
  if (!port.pipe.empty()) {
    port.expected = port.pipe.first();
    done = flights_[port.expected].at;
  } else if (const ArrivalQueue* coming = port.next()) {
    const Arrival& first = coming->first();
    port.expected = first.id;
    done = std::max(first.at, port.server.free_at()) +
           stations_[node].link.frame_time(flights_[first.id].length);
  } else {
    return;
  }
  if (done >= port.due) return;
  port.due = done;
  scheduler_.schedule(done, What{EventKind::PortDone, node}.packed());
}

void Carrier::port_done(std::uint32_t node) {
  const Picos now = scheduler_.now();
  Port& port = stations_[node].port;
  if (port.due != now) return;  // Set again since, to an earlier time.
  port.due = kNever;
  admit_due_arrivals(stations_[node], now);
  const bool is_done = !port.pipe.empty() && flights_[port.pipe.first()].at == now;
  const PacketId id = is_done ? port.pipe.pop(flights_) : kNone;
  plan_port(node);
  if (!is_done) return;  // Something longer has come before what was expected.
  port.server.leave();
  ++packet_hops_;
  receive(id);
}

}  // namespace overlane::run
