#include "sim/run/path/receive_queues.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "sim/run/path/cpu.h"

namespace overlane::run {
namespace {

/// TCP's timestamps tick in milliseconds; GRO merges only segments of the same one.
constexpr Picos kTimestampTick = milliseconds(1);

bool same_options(const transport::Segment& a, const transport::Segment& b) {
  return a.acknowledges == b.acknowledges && a.window == b.window && b.sack.empty() &&
         a.timestamp.count / kTimestampTick.count == b.timestamp.count / kTimestampTick.count;
}

}  // namespace

/// Adds a packet to the open buffer of its stream if it may merge, otherwise as a buffer of its
/// own.
void ReceiveBatch::add(PacketId id, const cost::PathCost& cost) {
  Packet& packet = packets_[id];
  packet.to_crypt = cost.is_sealed;
  // GRO makes few buffers of a stream; datagrams stay single, and a poll takes many.
  if (!packet.is_tcp) packet.in_burst = rule_ == MergeRule::Gro && !buffers_.empty();
  if (may_merge(packet)) {
    auto open = std::ranges::find(open_, packet.sender, &Open::sender);
    if (open != open_.end() && joins(*open, id)) {
      Buffer& buffer = buffers_[open->buffer];
      charge(buffer, cost, packet, cost::Arrival::SharesBuffer);
      packets_[buffer.id].length += packet.length;
      ++packets_[buffer.id].packets;
      transport::Segment& whole = packets_.segment(buffer.id);
      whole.length += packets_.segment(id).length;
      ++whole.wire_segments;
      return packets_.merge_away(id);
    }
    if (open == open_.end()) open = open_.emplace(open);
    *open = {.sender = packet.sender, .buffer = buffers_.size()};
    const transport::Segment& segment = packets_.segment(id);
    open->train.takes(segment, segment.length);
  }
  Buffer& buffer = buffers_.emplace_back();
  buffer.id = id;
  charge(buffer, cost, packet, packet.arrival());
}

/// Packets that are forwarded to another node are not merged.
bool ReceiveBatch::may_merge(const Packet& packet) const {
  if (!packet.is_tcp || packet.egress == forward::Egress::Uplink) return false;
  return rule_ == MergeRule::Buffer || network_.machines[packet.node].offloads.gro;
}

bool ReceiveBatch::joins(Open& open, PacketId id) {
  const PacketId first = buffers_[open.buffer].id;
  const transport::Segment& whole = packets_.segment(first);
  const transport::Segment& segment = packets_.segment(id);
  if (rule_ == MergeRule::Buffer && !packets_[id].shares_buffer) return false;
  return same_options(whole, segment) &&
         open.train.takes(segment, whole.length / whole.wire_segments) &&
         decisions_.look_alike(packets_[first], packets_[id]);
}

/// Adds the cost of a packet to the work on its buffer.
void ReceiveBatch::charge(Buffer& buffer, const cost::PathCost& cost, const Packet& packet,
                          cost::Arrival arrival) const {
  Picos time = cost.of(packet.length, arrival);
  if (network_.machines[packet.node].rps) {
    const Picos poll = cpu_.costs(packet.node).poll().of(packet.length, arrival);
    buffer.poll += poll;
    time += {-poll.count};
  }
  buffer.time += time;
}

void ReceiveBatch::run(std::uint32_t node, std::uint16_t core) {
  for (const Buffer& buffer : buffers_) {
    if (buffer.poll.count > 0)
      hand_on(buffer, node, core);
    else
      cpu_.work(buffer.id, node, core, buffer.time);
  }
}

/// RPS: the core that polled hands a buffer to the core that the hash of the inner flow picks.
void ReceiveBatch::hand_on(const Buffer& buffer, std::uint32_t node, std::uint16_t core) {
  Packet& packet = packets_[buffer.id];
  const NodeCores& cpu = cpu_[node];
  packet.core = steered_core(packet.sender, cpu.cores.size());
  const Picos handed_on =
      cpu.cores[core].server.occupy(packets_.now(), buffer.poll + cpu.costs->steer());
  if (!cpu_.work_later(buffer.id, node, packet.core, handed_on, buffer.time))
    packets_.drop(buffer.id, Drop::CpuBacklogFull);
}

ReceiveQueues::ReceiveQueues(const Network& network, Decisions& decisions, Packets& packets,
                             Cpu& cpu, HostStack& stack)
    : network_(network), decisions_(decisions), packets_(packets), cpu_(cpu), stack_(stack) {
  for (const host::Machine& machine : network.machines)
    queues_.emplace_back(machine.cores);
}

void ReceiveQueues::enter(PacketId id) {
  Packet& packet = packets_[id];
  packet.shares_buffer &= network_.wire == cost::Wire::Virtio;
  const std::uint32_t node = packet.node;
  const std::uint16_t core = packet.core;
  ReceiveQueue& queue = queues_[node][core];
  if (!packet.shares_buffer) {
    if (queue.buffers == network_.machines[node].receive_ring_packets)
      return packets_.drop(id, Drop::CpuBacklogFull);
    ++queue.buffers;
  }
  packets_.queue(queue.ring, id);
  ++queue.waiting;
  if (!queue.poll_due && !packet.buffer_goes_on) plan_poll(node, core);
}

/// Polls as soon as the core is free. A poll that emptied the queue before its budget was used up
/// has enabled the NIC's interrupts again (napi_complete_done), and the NIC moderates them. A poll
/// that used up its budget is repeated when the core has finished with the packets of that poll.
void ReceiveQueues::plan_poll(std::uint32_t node, std::uint16_t core) {
  ReceiveQueue& queue = queues_[node][core];
  const Picos now = packets_.now();
  queue.poll_due = true;
  queue.interrupted = now > queue.goes_on_until;
  const Picos allowed = queue.interrupted ? queue.quiet_until : now;
  const Picos start = std::max({now, allowed, cpu_[node].cores[core].server.free_at()});
  if (start == now) return poll(node, core);
  packets_.schedule(start, {EventKind::Poll, node, core});
}

void ReceiveQueues::poll(std::uint32_t node, std::uint16_t core) {
  ReceiveQueue& queue = queues_[node][core];
  core::FifoServer& server = cpu_[node].cores[core].server;
  const Picos now = packets_.now();
  queue.poll_due = false;
  if (queue.interrupted) {
    server.occupy(now, cpu_.costs(node).interrupt());
    queue.quiet_until = now + network_.machines[node].interrupt_gap;
  }
  if (queue.waiting == 1 && !network_.machines[node].rps) return poll_one(node, core);
  ReceiveBatch batch(MergeRule::Gro, network_, decisions_, packets_, cpu_, stack_);
  std::uint32_t budget = kPollBudget;
  for (; budget > 0 && queue.waiting > 0; --budget) {
    --queue.waiting;
    const PacketId id = packets_.unqueue(queue.ring);
    if (!packets_[id].shares_buffer) --queue.buffers;
    packets_[id].shares_buffer = false;
    batch.take(id);
  }
  batch.run(node, core);
  queue.goes_on_until = budget == 0 ? server.free_at() : ReceiveQueue::kNotAtAll;
  if (queue.waiting > 0) plan_poll(node, core);
}

/// Polls the only packet of a queue, with the result of a ReceiveBatch: there is nothing to merge,
/// and without RPS the core that polls works on the packet. HostStack::work() adds the costs of
/// sending, which are 0 on a path from a NIC.
void ReceiveQueues::poll_one(std::uint32_t node, std::uint16_t core) {
  ReceiveQueue& queue = queues_[node][core];
  const PacketId id = packets_.unqueue(queue.ring);
  queue.waiting = queue.buffers = 0;
  queue.goes_on_until = ReceiveQueue::kNotAtAll;
  packets_[id].shares_buffer = false;
  bool is_first = true;
  stack_.decide(id, forward::Ingress::Uplink, [&](const HostStack::Forwarded& forwarded) {
    Packet& packet = packets_[forwarded.id];
    const bool follows = !std::exchange(is_first, false);
    if (!packet.is_tcp) packet.in_burst = follows;
    [[maybe_unused]] const Handoff onward = stack_.work(forwarded, node, core);
    assert(onward.to == Entrance::None);  // CPU time has costs.
  });
}

void ReceiveQueues::stop(std::uint32_t node, std::vector<PacketId>& lost) {
  for (ReceiveQueue& queue : queues_[node]) {
    packets_.take_out(queue.ring, node, lost);
    queue.waiting = queue.buffers = 0;
    queue.interrupted = false;
  }
}

}  // namespace overlane::run
