#include "sim/run/path/devices.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "sim/run/path/receive_queues.h"

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

/// Time at which the packet will have left the NIC; kNever if the queue is full. The queue counts
/// socket buffers: a packet that shares the previous packet's buffer is accepted or refused with
/// it.
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

/// Lets a datagram that finds the NIC idle enter the fabric now, if the fabric's decision about it
/// is cached. (A TCP connection needs the event: it sends more when its segments leave the NIC.)
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

bool Nics::can_send_all_ahead(std::uint32_t node) const {
  const Pipe& pipe = nics_[node].station.pipe;
  for (PacketId id = pipe.empty() ? kNone : pipe.first(); id != kNone; id = packets_[id].next)
    if (packets_[id].is_tcp || !fabric_.can_enter_ahead(id)) return false;
  return true;
}

void Nics::send_all_ahead(std::uint32_t node) {
  Station& nic = nics_[node].station;
  if (nic.pipe.empty()) return;
  while (!nic.pipe.empty()) {
    const PacketId id = packets_.unqueue(nic.pipe);
    nics_[node].sender_ahead = packets_[id].sender;
    nics_[node].bytes_ahead = packets_[id].host_bytes;
    nic.server.leave();
    [[maybe_unused]] const bool has_entered = fabric_.enter_ahead(id, packets_[id].at);
    assert(has_entered);
  }
  nic.server.serve_all({}, nic.server.free_at());
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

Vhost::Vhost(const Network& network, Decisions& decisions, Packets& packets, Cpu& cpu)
    : network_(network), decisions_(decisions), packets_(packets), cpu_(cpu) {
  for (const host::Machine& machine : network.machines)
    threads_.emplace_back(host::receive_queues(machine));
}

/// Adds a packet to the earlier packets of its buffer; the thread gets only whole buffers. If the
/// last packets of a buffer were lost, the next buffer of its sender ends it.
void Vhost::gather(PacketId id, const Direction& direction) {
  const Packet& packet = packets_[id];
  std::vector<Part>& parts = (thread_of(packet).*direction.queue).parts;
  auto part = std::ranges::find(parts, packet.sender, &Part::sender);
  if (part != parts.end() && !packet.shares_buffer) {
    copy(part->pipe, direction);
    part->pipe = {};
  }
  if (part == parts.end()) part = parts.insert(part, Part{packet.sender, {}});
  packets_.queue(part->pipe, id);
  if (packet.buffer_goes_on) return;
  Pipe whole = part->pipe;
  *part = parts.back();
  parts.pop_back();
  copy(whole, direction);
}

/// Queues a buffer for the thread, which copies all of its packets at once.
void Vhost::copy(Pipe& buffer, const Direction& direction) {
  const std::uint32_t node = packets_[buffer.first()].node;
  Thread& thread = thread_of(packets_[buffer.first()]);
  Queue& queue = thread.*direction.queue;
  const bool has_room = queue.buffers < direction.room;
  const auto number = static_cast<std::uint16_t>(&thread - threads_[node].data());
  Picos time;
  cost::Arrival arrival = cost::Arrival::Alone;
  for (PacketId id = buffer.first(); has_room && id != kNone; id = packets_[id].next)
    time += cpu_.costs(node).vhost().of(packets_[id].length,
                                        std::exchange(arrival, cost::Arrival::SharesBuffer));
  const Picos done = thread.server.occupy(packets_.now(), time);
  while (!buffer.empty()) {
    const PacketId id = packets_.unqueue(buffer);
    packets_[id].buffer_goes_on = !buffer.empty();
    ++thread.packets;
    if (has_room)
      packets_.wait(queue.pipe, id, done, {direction.done, node, number});
    else
      packets_.drop(id, direction.drop);
  }
  ++thread.buffers;
  if (has_room) ++queue.buffers;
}

void Vhost::send(PacketId id) {
  Packet& packet = packets_[id];
  const host::Machine& machine = network_.machines[packet.node];
  const bool whole =
      cost::nic_segments(machine.offloads, decisions_.header_shape(packet).encapsulation);
  packet.shares_buffer &= whole;
  // The next packet of the core shows whether the buffer continues.
  const PacketId next = cpu_[packet.node].cores[packet.core].pipe.first();
  packet.buffer_goes_on = whole && next != kNone && packets_[next].shares_buffer &&
                          packets_[next].sender == packet.sender;
  gather(id, {&Thread::out, machine.nic_queue_packets, Drop::NicQueueFull, EventKind::VhostSent});
}

void Vhost::receive(PacketId id) {
  gather(id, {&Thread::in, kTapQueueBuffers, Drop::FabricQueueFull, EventKind::VhostReceived});
}

Handoff Vhost::sent(std::uint32_t node, std::uint16_t queue) {
  Queue& out = threads_[node][queue].out;
  const PacketId id = packets_.take(out.pipe, {EventKind::VhostSent, node, queue});
  if (id == kNone) return {};
  if (!packets_[id].buffer_goes_on) --out.buffers;
  // The guest's descriptors are free again (virtnet_poll_tx, drivers/net/virtio_net.c).
  packets_.leave_host(packets_[id]);
  return {id, Entrance::Nic};
}

Handoff Vhost::received(std::uint32_t node, std::uint16_t queue) {
  Queue& in = threads_[node][queue].in;
  const PacketId id = packets_.take(in.pipe, {EventKind::VhostReceived, node, queue});
  if (id == kNone) return {};
  if (!packets_[id].buffer_goes_on) --in.buffers;
  return {id, Entrance::Node};
}

void Vhost::stop(std::uint32_t node, std::vector<PacketId>& lost) {
  for (Thread& thread : threads_[node]) {
    for (Queue* queue : {&thread.out, &thread.in}) {
      packets_.take_out(queue->pipe, node, lost);
      for (Part& part : queue->parts)
        packets_.take_out(part.pipe, node, lost);
      queue->parts.clear();
      queue->buffers = 0;
    }
    thread.server.stop(packets_.now());
  }
}

void Vhost::begin_measuring(Picos now) {
  for (std::vector<Thread>& threads : threads_)
    for (Thread& thread : threads)
      thread.server.begin_measuring(now);
}

VethPairs::VethPairs(const Network& network, Decisions& decisions, Packets& packets, Cpu& cpu,
                     HostStack& stack, FabricPath& fabric)
    : network_(network),
      decisions_(decisions),
      packets_(packets),
      cpu_(cpu),
      stack_(stack),
      fabric_(fabric),
      backlogs_(network.machines.front().cores) {}

void VethPairs::enter(PacketId id) {
  const auto next =
      fabric_.decide(id, [&](PacketId error, std::uint32_t /*from*/) { take(error); });
  if (next.is_lost) return;
  Packet& packet = packets_[id];
  const std::uint32_t from = std::exchange(packet.node, next.to);
  // A buffer stays whole, unless the kernel had to segment it because an offload is missing.
  packet.shares_buffer &= cost::nic_segments(network_.machines[from].offloads,
                                             decisions_.header_shape(packet).encapsulation);
  take(id);
}

void VethPairs::take(PacketId id) {
  const Packet& packet = packets_[id];
  const std::uint32_t node = packet.node;
  const std::uint16_t core = packet.core;
  if (decisions_.states().stopped().contains(node)) return packets_.drop(id, Drop::NodeGone);
  Backlog& backlog = backlogs_[core];
  if (backlog.waiting == network_.machines[node].receive_ring_packets)
    return packets_.drop(id, Drop::CpuBacklogFull);
  packets_.queue(backlog.ring, id);
  ++backlog.waiting;
  if (std::exchange(backlog.is_due, true)) return;
  const Picos start = std::max(packets_.now(), cpu_[node].cores[core].server.free_at());
  packets_.schedule(start, {EventKind::Backlog, node, core});
}

void VethPairs::run_backlog(std::uint32_t node, std::uint16_t core) {
  Backlog& backlog = backlogs_[core];
  backlog.is_due = false;
  ReceiveBatch batch(MergeRule::Buffer, network_, decisions_, packets_, cpu_, stack_);
  for (std::uint32_t left = std::exchange(backlog.waiting, 0); left > 0; --left)
    batch.take(packets_.unqueue(backlog.ring));
  batch.run(node, core);
  const Picos behind = std::exchange(backlog.behind, {});
  if (behind.count > 0) cpu_[node].fall_asleep(core, packets_.now(), behind);
}

void VethPairs::idle(std::uint32_t node, std::uint32_t core, Picos time) {
  Backlog& backlog = backlogs_[core];
  const bool sends = backlog.is_due || !cpu_[node].cores[core].pipe.empty();
  if (!sends) return cpu_[node].fall_asleep(core, packets_.now(), time);
  backlog.behind += time;
}

std::uint32_t VethPairs::fullest_backlog() const {
  return std::ranges::max_element(backlogs_, {}, &Backlog::waiting)->waiting;
}

void VethPairs::stop(std::uint32_t node, std::vector<PacketId>& lost) {
  for (Backlog& backlog : backlogs_) {
    const std::size_t before = lost.size();
    packets_.take_out(backlog.ring, node, lost);
    backlog.waiting -= static_cast<std::uint32_t>(lost.size() - before);
  }
}

}  // namespace overlane::run
