#include "sim/run/path/veth_pairs.h"

#include <algorithm>
#include <utility>

#include "sim/run/path/receive_batch.h"

namespace overlane::run {

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
  // A buffer passes whole, unless the kernel had to cut it up for want of an offload.
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
  cpu_[node].cores[core].server.occupy(packets_.now(), std::exchange(backlog.behind, {}));
}

void VethPairs::idle(std::uint32_t node, std::uint32_t core, Picos time) {
  Backlog& backlog = backlogs_[core];
  const bool sends = backlog.is_due || !cpu_[node].cores[core].pipe.empty();
  if (!sends) return cpu_.occupy(node, core, time);
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
