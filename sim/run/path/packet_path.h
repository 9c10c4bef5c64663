#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/run/path/border.h"
#include "sim/run/path/fabric_path.h"
#include "sim/run/path/host_receive.h"
#include "sim/run/path/host_send.h"
#include "sim/run/path/veth_pairs.h"
#include "sim/run/path/vhost.h"
#include "sim/run/path/wireguard.h"

namespace overlane::run {

/// The stations between sockets, and how they are connected. A packet passes, in this order:
///
///     HostSend::send       the sender's node decides about it, a core works on it
///     HostStack::core_done to the NIC, or to the socket at the end
///     Vhost::sent          of a virtual machine: its hypervisor has copied it out of the guest
///     HostSend::nic_done   its last bit has left the NIC
///     FabricPath::enter    the fabric decides about it, limits, loses and delays it
///     Ports::done          its last bit has reached the receiving NIC
///     Vhost::received      the hypervisor has copied it into the guest
///     HostReceive::poll    the receiver's node decides about it, a core works on it
///
/// Where it goes is decided by forward() alone, under the state that holds when it arrives
/// (Decisions); the stations add time, queues and counts.
class PacketPath {
 public:
  /// Referenced arguments must outlive this object.
  PacketPath(const Network& network, const std::vector<TrafficGroup>& traffic,
             const RunOptions& options, States& states, Border& border, std::size_t ends,
             core::Scheduler& scheduler, Accounts& accounts);

  /// A pod sends a packet that was added, or its node itself; `core` of it is the sender's.
  /// `plain` packets of one end look alike until Decisions::forget_cached(); make_header() gives
  /// the first of them its header, and each of the others. `segment` is what a TCP packet carries,
  /// else null.
  template <typename MakeHeader>
  [[gnu::always_inline]] void send(PacketId id, const transport::Segment* segment, bool plain,
                                   MakeHeader make_header) {
    decisions_.begin(packets_[id], plain, make_header);
    if (segment != nullptr) packets_.segment(id) = *segment;
    packets_.show_sent(id);
    if (is_large_) [[unlikely]]
      if (const CachedDecision* decision = decisions_.fabric_hop(packets_[id]))
        ports_.prefetch(decision->to);
    host_send_.send(id);
  }
  /// Has the processor fetch what a packet from this node looks at first.
  [[gnu::always_inline]] void prefetch_sender(std::uint32_t node) const {
    host_send_.prefetch(node);
    fabric_.prefetch(node);
  }
  /// Packets come from nodes of another partition.
  void take(const Mail& mail, std::uint16_t partition) { fabric_.take(mail, partition); }
  /// An application leaves a core idle, which takes `time`.
  void idle(std::uint32_t node, std::uint32_t core, Picos time) {
    return veths_ ? veths_->idle(node, core, time) : cpu_.occupy(node, core, time);
  }

  /// The states have changed: what is on nodes that have stopped is lost.
  void apply(const node::WorldChange& changed);
  /// apply() will not be called before.
  void expect_change(std::optional<Picos> at) { host_send_.expect_change(at); }
  /// The warm-up is over.
  void begin_measuring(Picos now);

  Packets& packets() { return packets_; }
  Decisions& decisions() { return decisions_; }
  Cpu& cpu() { return cpu_; }
  WireGuard& wireguard() { return wireguard_; }
  const WireGuard& wireguard() const { return wireguard_; }
  HostStack& host_stack() { return host_stack_; }
  HostSend& host_send() { return host_send_; }
  FabricPath& fabric() { return fabric_; }
  Ports& ports() { return ports_; }
  HostReceive& host_receive() { return host_receive_; }
  const Packets& packets() const { return packets_; }
  const Decisions& decisions() const { return decisions_; }
  const Cpu& cpu() const { return cpu_; }
  const HostStack& host_stack() const { return host_stack_; }
  const HostSend& host_send() const { return host_send_; }
  const FabricPath& fabric() const { return fabric_; }
  const Ports& ports() const { return ports_; }
  const HostReceive& host_receive() const { return host_receive_; }
  /// Null where nodes have NICs.
  VethPairs* veths() { return veths_.get(); }
  const VethPairs* veths() const { return veths_.get(); }
  /// Null where nodes are no virtual machines with virtio NICs.
  Vhost* vhost() { return vhost_.get(); }
  const Vhost* vhost() const { return vhost_.get(); }
  /// Most packets in any of the node's receive queues; of veth pairs, in the machine's.
  std::uint32_t fullest_receive_queue(std::uint32_t node) const;
  const Network& network() const { return network_; }
  /// Whether prefetching pays: the run's working set exceeds a core's caches.
  bool is_large() const { return is_large_; }

 private:
  void stop_node(std::uint32_t node);

  const Network& network_;
  bool is_large_;
  Decisions decisions_;
  Packets packets_;
  Cpu cpu_;
  WireGuard wireguard_;
  std::unique_ptr<VethPairs> veths_;  ///< Null where nodes have NICs.
  std::unique_ptr<Vhost> vhost_;      ///< Null but for virtio NICs.
  HostStack host_stack_;
  HostSend host_send_;
  FabricPath fabric_;
  Ports ports_;
  HostReceive host_receive_;
};

/// The stations of all nodes: those of a node are in the path of the partition that has the node.
class NodePaths {
 public:
  /// The referenced argument must outlive this object. `paths`: of each partition.
  NodePaths(std::vector<const PacketPath*> paths, const PartitionOfNode& partition_of)
      : paths_(std::move(paths)), partition_of_(partition_of) {}

  const PacketPath& operator[](std::uint32_t node) const { return *paths_[partition_of_[node]]; }

 private:
  std::vector<const PacketPath*> paths_;
  const PartitionOfNode& partition_of_;
};

}  // namespace overlane::run
