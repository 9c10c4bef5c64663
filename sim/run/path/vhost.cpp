#include "sim/run/path/vhost.h"

#include <algorithm>
#include <utility>

namespace overlane::run {

Vhost::Vhost(const Network& network, Decisions& decisions, Packets& packets, Cpu& cpu)
    : network_(network), decisions_(decisions), packets_(packets), cpu_(cpu) {
  for (const host::Machine& machine : network.machines)
    threads_.emplace_back(host::receive_queues(machine));
}

/// Adds a packet to the others of its buffer; the thread gets the whole buffer. A buffer whose last
/// packets were lost ends where the next buffer of its sender begins.
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
  // What the core does next is known.
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

}  // namespace overlane::run
