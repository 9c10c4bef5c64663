#include "sim/run/path/packet_path.h"

#include <algorithm>

namespace overlane::run {

namespace {

/// Bytes of the working set per endpoint and per node, and of the caches of one core.
constexpr std::size_t kEndMemory = 256 + sizeof(FlowCacheEntry);
constexpr std::size_t kNodeMemory = 320 + sizeof(Port);
constexpr std::size_t kCache = 2 << 20;

/// Nics: whether, between its NIC and the delay of the fabric, nothing but a change of the states
/// or the cap on its flow can delay or lose a packet, and nothing observes it.
bool is_steady(const Network& network, const RunOptions& options) {
  return !network.limits.has_allowances() && !network.paths.loss.any() && options.trace == nullptr;
}

/// Whether packets pass this kind of wire. Without CPU costs, veth pairs and virtio NICs are
/// simulated like other NICs.
bool has_wire(const Network& network, cost::Wire wire) {
  return network.wire == wire && network.costs;
}

/// The entrance for packets that leave their node's kernel.
Entrance uplink_of(const Network& network) {
  if (has_wire(network, cost::Wire::Veth)) return Entrance::VethPair;
  return has_wire(network, cost::Wire::Virtio) ? Entrance::VhostOut : Entrance::Nic;
}

}  // namespace

PacketPath::PacketPath(const Network& network, const std::vector<TrafficGroup>& traffic,
                       const RunOptions& options, States& states, Border& border, std::size_t ends,
                       core::Scheduler& scheduler, Accounts& accounts)
    : network_(network),
      is_large_(ends * kEndMemory + network.nodes.size() * kNodeMemory > kCache),
      decisions_(network, options, states, border.is_open(), ends),
      packets_(decisions_, scheduler, accounts),
      cpu_(network, packets_),
      wireguard_(network, decisions_, packets_, cpu_),
      host_stack_(traffic, decisions_, packets_, cpu_, wireguard_, network.nodes.size(),
                  uplink_of(network)),
      receive_queues_(network, decisions_, packets_, cpu_, host_stack_),
      ports_(network, packets_,
             has_wire(network, cost::Wire::Virtio) ? Entrance::VhostIn : Entrance::Node),
      fabric_(network, options, ends, decisions_, packets_, ports_, border),
      nics_(network, is_steady(network, options), packets_, fabric_) {
  if (has_wire(network, cost::Wire::Veth))
    veths_ = std::make_unique<VethPairs>(network, decisions_, packets_, cpu_, host_stack_, fabric_);
  if (has_wire(network, cost::Wire::Virtio))
    vhost_ = std::make_unique<Vhost>(network, decisions_, packets_, cpu_);
  for (const auto& [node, at] : options.joins)
    ports_.set_running(node, false);
}

/// Without CPU costs, the node decides about a packet at its arrival.
void PacketPath::receive(PacketId id) {
  if (cpu_.has_costs()) return receive_queues_.enter(id);
  packets_[id].shares_buffer = false;
  enter_node(id, forward::Ingress::Uplink);
}

void PacketPath::on_change(const node::WorldChange& changed) {
  if (!changed.fabric.instances.empty()) fabric_.number_zones();
  for (const std::uint32_t node : changed.stopped)
    stop_node(node);
  for (const std::uint32_t node : changed.started)
    ports_.set_running(node, !decisions_.states().stopped().contains(node));
}

/// Drops the packets in the queues of a node that stops.
void PacketPath::stop_node(std::uint32_t node) {
  ports_.set_running(node, false);
  std::vector<PacketId> lost;
  nics_.stop(node, lost);
  host_stack_.stop(node, lost);
  receive_queues_.stop(node, lost);
  if (veths_) veths_->stop(node, lost);
  if (vhost_) vhost_->stop(node, lost);
  cpu_.stop(node, lost);
  wireguard_.stop(node, lost);
  for (const PacketId id : lost) {
    if (packets_.is_read(id))
      packets_.take_read(id);
    else
      packets_.drop(id, Drop::NodeGone);
  }
}

std::uint32_t PacketPath::fullest_receive_queue(std::uint32_t node) const {
  if (veths_) return veths_->fullest_backlog();
  std::uint32_t most = 0;
  for (const ReceiveQueue& queue : receive_queues_[node])
    most = std::max(most, queue.waiting);
  return most;
}

void PacketPath::begin_measuring(Picos now) {
  cpu_.begin_measuring(now);
  host_stack_.begin_measuring(now);
  nics_.begin_measuring(now);
  fabric_.begin_measuring(now);
  ports_.begin_measuring(now);
  if (vhost_) vhost_->begin_measuring(now);
}

}  // namespace overlane::run
