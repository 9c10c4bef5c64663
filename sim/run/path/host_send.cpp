#include "sim/run/path/host_send.h"

#include <algorithm>
#include <utility>

#include "sim/run/path/fabric_path.h"

namespace overlane::run {

HostSend::HostSend(const Network& network, bool sends_ahead, Decisions& decisions, Packets& packets,
                   HostStack& stack, FabricPath& fabric)
    : decisions_(decisions),
      packets_(packets),
      stack_(stack),
      fabric_(fabric),
      sends_ahead_(sends_ahead),
      refused_(network.machines.size()) {
  for (const host::Machine& machine : network.machines)
    nics_.push_back({.link = host::Link(machine.nic_rate),
                     .station = {core::FifoServer(machine.nic_queue_packets), {}}});
}

void HostSend::enter_nic(PacketId id) {
  if (sends_ahead_ && send_at_once(id)) return;
  const Packet& packet = packets_[id];
  const Picos sent = accept(packet);
  if (sent == transport::kNever) return packets_.drop(id, Drop::NicQueueFull);
  packets_.wait(nics_[packet.node].station.pipe, id, sent, {EventKind::NicDone, packet.node});
}

/// When the packet will have left the NIC; kNever when the queue is full. The queue counts socket
/// buffers: a packet that shares the previous packet's buffer is accepted or refused with it.
Picos HostSend::accept(const Packet& packet) {
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

/// What becomes of a datagram that finds the NIC idle is known, if the fabric's decision is, and a
/// cap on its flow does not delay it: no event is needed when it has left. (A segment's connection
/// waits for that.)
bool HostSend::send_at_once(PacketId id) {
  Packet& packet = packets_[id];
  Nic& nic = nics_[packet.node];
  const Picos now = packets_.now();
  if (packet.is_tcp || !nic.station.pipe.empty() || !nic.station.server.idle(now)) return false;
  const Picos frame = nic.link.frame_time(packet.length);
  if (now + frame >= next_change_) return false;
  const CachedDecision* decision = decisions_.known_fabric(packet);
  if (decision == nullptr) return false;
  const FabricPath::Next next{decision->to, decision->core, decision->shows_ports};
  if (!fabric_.passes_cap(packet, next, packet.node, now + frame)) return false;
  decisions_.move(packet, *decision);
  const Picos sent = nic.station.server.arrive_alone(now, frame);
  nic.sent_at_once = packet.sender;
  nic.bytes_at_once = packet.host_bytes;
  packets_.count_hops();
  packets_.leave_host(packet);
  packet.core = next.core;
  fabric_.cross(id, std::exchange(packet.node, next.to), sent);
  return true;
}

void HostSend::nic_done(std::uint32_t node) {
  Station& nic = nics_[node].station;
  const PacketId id = packets_.take(nic.pipe, {EventKind::NicDone, node});
  if (id == kNone) return;
  if (!packets_[id].shares_buffer) nic.server.leave();
  fabric_.enter(id);
}

void HostSend::stop(std::uint32_t node, std::vector<PacketId>& lost) {
  Station& nic = nics_[node].station;
  const std::size_t before = lost.size();
  packets_.take_out(nic.pipe, node, lost);
  for (std::size_t i = before; i < lost.size(); ++i)
    if (!packets_[lost[i]].shares_buffer) nic.server.leave();
  nic.server.stop(packets_.now());
  refused_[node].clear();
}

void HostSend::begin_measuring(Picos now) {
  for (Nic& nic : nics_)
    nic.station.server.begin_measuring(now);
}

}  // namespace overlane::run
