#include "sim/run/path/wireguard.h"

#include <algorithm>

#include "sim/run/path/cpu.h"

namespace overlane::run {
namespace {

/// Packets in one of WireGuard's queues (MAX_QUEUED_PACKETS, drivers/net/wireguard).
constexpr std::uint32_t kMaxQueued = 1024;

}  // namespace

WireGuard::WireGuard(const Network& network, Decisions& decisions, Packets& packets, Cpu& cpu)
    : decisions_(decisions), packets_(packets), cpu_(cpu) {
  for (const host::Machine& machine : network.machines)
    nodes_.push_back({std::vector<PeerQueue>(machine.cores)});
}

void WireGuard::crypt(PacketId id) {
  Packet& packet = packets_[id];
  packet.to_crypt = false;
  // Peers are spread over the cores in turn. On receive, a peer's core is the one after the core
  // that the NIC picked, which is one core for all packets of a peer.
  const bool out = packet.egress == forward::Egress::Uplink;
  const std::uint64_t peer =
      out ? decisions_.header_shape(packet).outer.destination.low : packet.core + 1u;
  OfNode& node = nodes_[packet.node];
  packet.core = peer_core(peer, static_cast<std::uint32_t>(node.peers.size()));
  PeerQueue& queue = node.peers[packet.core];
  if (queue.waiting + packet.packets > kMaxQueued) return packets_.drop(id, Drop::CpuBacklogFull);
  queue.waiting += packet.packets;
  queue.last = std::max(queue.last, run_cipher(packet));
  packet.shares_buffer = false;  // WireGuard segmented the buffer before encryption; its packets
                                 // stay single.
  packet.in_order = true;
  packets_.wait(queue.pipe, id, queue.last, {EventKind::Crypted, packet.node, packet.core});
}

/// Occupies cores with the cipher's work on a packet, and returns the time when it is done. Packets
/// that were one buffer before segmentation are one job; a merged packet is one job per merged
/// packet, of equal shares. An idle core first wakes a worker.
Picos WireGuard::run_cipher(const Packet& packet) {
  OfNode& node = nodes_[packet.node];
  const NodeCores& cpu = cpu_[packet.node];
  const cost::PathCost& cost = cpu.costs->crypt();
  const Picos now = packets_.now();
  const auto cores = static_cast<std::uint32_t>(cpu.cores.size());
  const bool joins = packet.shares_buffer && packet.egress == forward::Egress::Uplink;
  Picos done = now;
  std::int64_t bytes = packet.length;
  for (std::int64_t jobs = packet.packets; jobs > 0; --jobs) {
    if (!joins) node.last_cipher = next_cipher_core(node.last_cipher, cores);
    const core::FifoServer& server = cpu.cores[node.last_cipher].server;
    const std::int64_t share = bytes / jobs;
    bytes -= share;
    const Picos wake_up = server.free_at() <= now ? cpu.costs->wake_up() : Picos{};
    done = std::max(done, cpu.occupy(node.last_cipher, now, wake_up + cost.of(share)));
  }
  return done;
}

void WireGuard::crypted(std::uint32_t node, std::uint16_t core) {
  Pipe& pipe = nodes_[node].peers[core].pipe;
  const PacketId id = packets_.take(pipe, {EventKind::Crypted, node, core});
  if (id == kNone) return;
  const Packet& packet = packets_[id];
  const cost::PathCosts& costs = cpu_.costs(node);
  const bool out = packet.egress == forward::Egress::Uplink;
  const cost::PathCost& cost =
      out ? costs.seal()
          : costs.open(decisions_.header_shape(packet).inner.family(), side(packet.egress));
  cpu_.work(id, node, core, cost.of(packet.length) + cost.further * (packet.packets - 1));
}

void WireGuard::stop(std::uint32_t node, std::vector<PacketId>& lost) {
  for (std::uint16_t core = 0; core < nodes_[node].peers.size(); ++core) {
    PeerQueue& queue = nodes_[node].peers[core];
    packets_.take_out(queue.pipe, node, {EventKind::Crypted, node, core}, lost);
    queue.waiting = 0;
  }
}

}  // namespace overlane::run
