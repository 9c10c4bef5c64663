#include "sim/run/path/host_receive.h"

#include <algorithm>

#include "sim/run/path/receive_batch.h"

namespace overlane::run {

HostReceive::HostReceive(const Network& network, Decisions& decisions, Packets& packets, Cpu& cpu,
                         HostStack& stack)
    : network_(network), decisions_(decisions), packets_(packets), cpu_(cpu), stack_(stack) {
  for (const host::Machine& machine : network.machines)
    queues_.emplace_back(machine.cores);
}

void HostReceive::take(PacketId id, bool goes_on) {
  Packet& packet = packets_[id];
  if (!cpu_.has_costs()) {
    packet.shares_buffer = false;
    return stack_.decide(id, forward::Ingress::Uplink,
                         [&](const HostStack::Decided& decided) { stack_.go_on(decided.id); });
  }
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
  if (!queue.poll_due && !goes_on) plan_poll(node, core);
}

/// Polls as soon as the core is free. A poll that found the queue empty before its budget was used
/// up has ended with the NIC's interrupts on again (napi_complete_done), and these the NIC
/// moderates; one that used it up is repeated when the core is through with what it took.
void HostReceive::plan_poll(std::uint32_t node, std::uint16_t core) {
  ReceiveQueue& queue = queues_[node][core];
  const Picos now = packets_.now();
  queue.poll_due = true;
  queue.interrupted = now > queue.goes_on_until;
  const Picos allowed = queue.interrupted ? queue.quiet_until : now;
  const Picos start = std::max({now, allowed, cpu_[node].cores[core].server.free_at()});
  if (start == now) return poll(node, core);
  packets_.schedule(start, {EventKind::Poll, node, core});
}

void HostReceive::poll(std::uint32_t node, std::uint16_t core) {
  ReceiveQueue& queue = queues_[node][core];
  core::FifoServer& server = cpu_[node].cores[core].server;
  const Picos now = packets_.now();
  queue.poll_due = false;
  if (queue.interrupted) {
    server.occupy(now, cpu_.costs(node).interrupt());
    queue.quiet_until = now + network_.machines[node].interrupt_gap;
  }
  if (queue.waiting == 1 && poll_alone(node, core)) return;
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

/// What poll() does about one packet, if its decision is cached: nothing else to merge it with, and
/// the same core goes on with it.
bool HostReceive::poll_alone(std::uint32_t node, std::uint16_t core) {
  ReceiveQueue& queue = queues_[node][core];
  Packet& packet = packets_[queue.ring.first()];
  if (network_.machines[node].rps) return false;
  const CachedDecision* known = decisions_.follow_node(packet, packets_.now());
  if (known == nullptr) return false;
  const PacketId id = packets_.unqueue(queue.ring);
  queue.waiting = queue.buffers = 0;
  queue.goes_on_until = ReceiveQueue::kNotAtAll;
  packet.shares_buffer = false;
  packet.in_burst &= packet.is_tcp;
  const cost::PathCost& cost = *cpu_.cost(node, known->cost);
  packet.to_crypt = cost.is_sealed;
  cpu_.work(id, node, core, cost.of(packet.length, packet.arrival()));
  return true;
}

void HostReceive::stop(std::uint32_t node, std::vector<PacketId>& lost) {
  for (ReceiveQueue& queue : queues_[node]) {
    packets_.take_out(queue.ring, node, lost);
    queue.waiting = queue.buffers = 0;
    queue.interrupted = false;
  }
}

}  // namespace overlane::run
