#include <vector>

#include "sim/run/path/carrier.h"

namespace overlane::run {

// A node that stops: what its cores, its NIC and its memory hold is lost.

/// Takes out what the node has at a station that it may share with other nodes.
void Carrier::take_out(Pipe& pipe, What what, std::vector<PacketId>& out) {
  pipe.take_out(flights_, what.subject, out);
  if (!pipe.empty()) scheduler_.schedule(flights_[pipe.first()].at, what.packed());
}

void Carrier::stop_node(std::uint32_t number) {
  NodeStations& node = stations_[number];
  const Picos now = scheduler_.now();
  node.port.node_runs = false;
  std::vector<PacketId> lost;
  node.nic.pipe.take_out(flights_, number, lost);
  for (const PacketId id : lost)
    if (!flights_[id].shares_buffer) node.nic.server.leave();
  node.nic.server.stop(now);
  node.refused.clear();
  node.memory.pipe.take_out(flights_, number, lost);
  node.memory.server.stop(now);
  for (std::uint16_t core = 0; core < node.cores.size(); ++core) {
    ReceiveQueue& queue = node.queues[core];
    const std::size_t held_before = lost.size();
    queue.ring.take_out(flights_, number, lost);
    queue.waiting -= static_cast<std::uint32_t>(lost.size() - held_before);
    const std::size_t worked_on = lost.size();
    Station& station = node.cores[core];
    take_out(station.pipe, {EventKind::CoreDone, number, core}, lost);
    for (std::size_t i = worked_on; i < lost.size(); ++i)
      if (flights_[lost[i]].steered) station.server.leave();
    take_out(node.sealed[core].pipe, {EventKind::Crypted, number, core}, lost);
    node.sealed[core].waiting = 0;
    if (by_veth_) continue;  // Other nodes have that core, too.
    queue.interrupted = false;
    queue.behind = {};
    station.server.stop(now);
  }
  for (const PacketId id : lost) {
    if (flights_[id].kind == PacketInFlight::Kind::Read)
      flights_.remove(id);
    else
      finish(id, Drop::NodeGone);
  }
  held_.give_up(number, Drop::NodeGone, accounts_);
}

}  // namespace overlane::run
