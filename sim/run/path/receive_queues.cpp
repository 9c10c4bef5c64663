#include "sim/run/path/receive_queues.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "sim/run/path/receive_batch.h"

namespace overlane::run {

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

/// Polls as soon as the core is free. A poll that found the queue empty before its budget was used
/// up has ended with the NIC's interrupts on again (napi_complete_done), which the NIC moderates. A
/// poll that used up its budget is repeated when the core has finished with the packets that it
/// took.
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

/// Polls the only packet of a queue, as ReceiveBatch would: there is nothing to merge it with, and
/// without RPS the core that polls works on it. HostStack::work() adds the costs of sending, which
/// are 0 on a path from a NIC.
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
