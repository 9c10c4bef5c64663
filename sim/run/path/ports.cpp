#include "sim/run/path/ports.h"

#include "sim/run/path/host_receive.h"
#include "sim/run/path/vhost.h"

namespace overlane::run {

using transport::kNever;

Ports::Ports(const Network& network, Packets& packets, HostReceive& receive, Vhost* vhost)
    : packets_(packets), receive_(receive), vhost_(vhost) {
  const Station link{core::FifoServer(network.paths.port_queue_packets), {}};
  for (const host::Machine& machine : network.machines) {
    ports_.push_back({.within = {}, .station = link, .across = {}});
    links_.emplace_back(machine.nic_rate);
  }
}

void Ports::enter(PacketId id) {
  const std::uint32_t node = packets_[id].node;
  accept(node, id, packets_.now());
  plan(node);
}

void Ports::accept(std::uint32_t node, PacketId id, Picos at) {
  Station& port = ports_[node].station;
  const auto received = port.server.arrive(at, links_[node].frame_time(packets_[id].length));
  if (!received) return packets_.finish(id, Drop::FabricQueueFull);
  packets_[id].at = *received;
  packets_.queue(port.pipe, id);
}

void Ports::admit_due(std::uint32_t node, Picos now) {
  Port& port = ports_[node];
  for (ArrivalQueue* coming = port.next(); coming != nullptr && coming->first().at <= now;
       coming = port.next()) {
    const Arrival packet = coming->first();
    coming->pop();
    accept(node, packet.id, packet.at);
  }
}

void Ports::admit_all(Picos now) {
  for (std::uint32_t node = 0; node < ports_.size(); ++node)
    admit_due(node, now);
}

/// Sets an event for when the port will have done with the first packet, unless another comes
/// before that.
void Ports::plan(std::uint32_t node) {
  Port& port = ports_[node];
  Picos done;
  if (!port.station.pipe.empty()) {
    port.expected = port.station.pipe.first();
    done = packets_[port.expected].at;
  } else if (const ArrivalQueue* coming = port.next()) {
    const Arrival& first = coming->first();
    port.expected = first.id;
    done = std::max(first.at, port.station.server.free_at()) +
           links_[node].frame_time(packets_[first.id].length);
  } else {
    return;
  }
  if (done >= port.due) return;
  port.due = done;
  packets_.schedule(done, {EventKind::PortDone, node});
}

void Ports::done(std::uint32_t node) {
  const Picos now = packets_.now();
  Port& port = ports_[node];
  if (port.due != now) return;  // Set again since, to an earlier time.
  port.due = kNever;
  admit_due(node, now);
  const bool is_done = packets_.due(port.station.pipe) != kNone;
  const PacketId id = is_done ? packets_.unqueue(port.station.pipe) : kNone;
  plan(node);
  if (!is_done) return;  // Something longer has come before what was expected.
  port.station.server.leave();
  packets_.count_hops();
  if (!port.node_runs) return packets_.finish(id, Drop::NodeGone);
  return vhost_ != nullptr ? vhost_->receive(id) : receive_.take(id);
}

void Ports::begin_measuring(Picos now) {
  for (Port& port : ports_)
    port.station.server.begin_measuring(now);
}

}  // namespace overlane::run
