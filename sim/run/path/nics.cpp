#include "sim/run/path/nics.h"

#include <algorithm>

namespace overlane::run {

Nics::Nics(const Network& network, bool sends_ahead, Packets& packets, FabricPath& fabric)
    : packets_(packets),
      fabric_(fabric),
      sends_ahead_(sends_ahead),
      refused_(network.machines.size()) {
  for (const host::Machine& machine : network.machines)
    nics_.push_back({.link = host::Link(machine.nic_rate),
                     .station = {core::FifoServer(machine.nic_queue_packets), {}}});
}

void Nics::enter(PacketId id) {
  if (sends_ahead_ && send_ahead(id)) return;
  const Packet& packet = packets_[id];
  const Picos sent = accept(packet);
  if (sent == transport::kNever) return packets_.drop(id, Drop::NicQueueFull);
  packets_.wait(nics_[packet.node].station.pipe, id, sent, {EventKind::NicDone, packet.node});
}

/// When the packet will have left the NIC; kNever when the queue is full. The queue counts socket
/// buffers: a packet that shares the previous packet's buffer is accepted or refused with it.
Picos Nics::accept(const Packet& packet) {
  const Picos now = packets_.now();
  Nic& nic = nics_[packet.node];
  std::vector<EndpointId>& refused = refused_[packet.node];
  const Picos time = nic.link.frame_time(packet.length);
  const bool was_refused = !refused.empty() && std::ranges::count(refused, packet.sender) > 0;
  if (packet.shares_buffer)
    return was_refused ? transport::kNever : nic.station.server.occupy(now, time);
  const auto sent = nic.station.server.arrive(now, time);
  if (was_refused) std::erase(refused, packet.sender);
  if (!sent && packet.is_tcp) refused.push_back(packet.sender);
  return sent.value_or(transport::kNever);
}

/// Lets a datagram that finds the NIC idle enter the fabric now, if the fabric knows what happens
/// to it later. (A TCP connection learns when its segments leave the NIC, for which an event is
/// needed.)
bool Nics::send_ahead(PacketId id) {
  const Packet& packet = packets_[id];
  Nic& nic = nics_[packet.node];
  const Picos now = packets_.now();
  if (packet.is_tcp || !nic.station.pipe.empty() || !nic.station.server.idle(now)) return false;
  const Picos frame = nic.link.frame_time(packet.length);
  if (now + frame >= next_change_) return false;
  const EndpointId sender = packet.sender;
  const std::uint32_t bytes = packet.host_bytes;
  if (!fabric_.enter_ahead(id, now + frame)) return false;
  nic.station.server.arrive_alone(now, frame);
  nic.sender_ahead = sender;
  nic.bytes_ahead = bytes;
  return true;
}

Handoff Nics::done(std::uint32_t node) {
  Station& nic = nics_[node].station;
  const PacketId id = packets_.take(nic.pipe, {EventKind::NicDone, node});
  if (id == kNone) return {};
  if (!packets_[id].shares_buffer) nic.server.leave();
  return {id, Entrance::Fabric};
}

void Nics::stop(std::uint32_t node, std::vector<PacketId>& lost) {
  Station& nic = nics_[node].station;
  const std::size_t before = lost.size();
  packets_.take_out(nic.pipe, node, lost);
  for (std::size_t i = before; i < lost.size(); ++i)
    if (!packets_[lost[i]].shares_buffer) nic.server.leave();
  nic.server.stop(packets_.now());
  refused_[node].clear();
}

void Nics::begin_measuring(Picos now) {
  for (Nic& nic : nics_)
    nic.station.server.begin_measuring(now);
}

}  // namespace overlane::run
