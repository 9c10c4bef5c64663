#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/run/path/border.h"
#include "sim/run/path/devices.h"
#include "sim/run/path/fabric_path.h"
#include "sim/run/path/receive_queues.h"
#include "sim/run/path/wireguard.h"

namespace overlane::run {

/// The stations between sockets, and the path from one to the next: stations.h has the table.
/// forward() alone decides where a packet goes, under the state at the packet's arrival
/// (Decisions); the stations add time, queues and counts. hand_over() lets a packet enter the next
/// station. One partition owns a PacketPath and is its only user.
class PacketPath {
 public:
  /// Referenced arguments must outlive this object.
  PacketPath(const Network& network, const std::vector<TrafficGroup>& traffic,
             const RunOptions& options, States& states, Border& border, std::size_t ends,
             core::Scheduler& scheduler, Accounts& accounts);

  /// A socket sends a packet that was added to packets(), on the packet's core. `plain` packets of
  /// one endpoint have equal headers until Decisions::forget_cached(): make_header() makes the
  /// header of the first one, and of each packet that is not plain. `segment` is null for a
  /// datagram.
  template <typename MakeHeader>
  [[gnu::always_inline]] void send(PacketId id, const transport::Segment* segment, bool plain,
                                   MakeHeader make_header) {
    decisions_.begin(packets_[id], plain, make_header);
    if (segment != nullptr) packets_.segment(id) = *segment;
    packets_.show_sent(id);
    if (is_large_) [[unlikely]]
      if (const std::uint32_t node = decisions_.likely_receiver(packets_[id]); node != kNone)
        ports_.prefetch(node);
    packets_.count_hops();  // The pod's veth.
    enter_node(id, forward::Ingress::Pod);
  }
  /// Lets a packet enter the next station, if it goes to one.
  [[gnu::always_inline]] void hand_over(Handoff next) {
    // Most packets go to a NIC, or to a socket and so to no station.
    if (next.to == Entrance::None) return;
    if (next.to == Entrance::Nic) return nics_.enter(next.id);
    switch (next.to) {
      case Entrance::None:
        return;
      case Entrance::Cipher:
        return wireguard_.crypt(next.id);
      case Entrance::VethPair:
        return veths_->enter(next.id);
      case Entrance::VhostOut:
        return vhost_->send(next.id);
      case Entrance::Nic:
        return nics_.enter(next.id);
      case Entrance::Fabric:
        return fabric_.enter(next.id);
      case Entrance::VhostIn:
        return vhost_->receive(next.id);
      case Entrance::Node:
        return receive(next.id);
    }
  }
  /// Prefetches the cache lines that a packet from this node reads first.
  [[gnu::always_inline]] void prefetch_sender(std::uint32_t node) const {
    nics_.prefetch(node);
    fabric_.prefetch(node);
  }
  /// Takes the packets that `partition` has sent to nodes of this partition.
  void take(const Mail& mail, std::uint16_t partition) { fabric_.take(mail, partition); }
  /// An application goes to sleep, which takes `time` of its core.
  void idle(std::uint32_t node, std::uint32_t core, Picos time) {
    return veths_ ? veths_->idle(node, core, time)
                  : cpu_[node].fall_asleep(core, packets_.now(), time);
  }

  /// The states have changed: drops the packets on nodes that have stopped.
  void on_change(const node::WorldChange& changed);
  /// Declares that on_change() is not called before `at`; nullopt: not in the rest of the run.
  void expect_change(std::optional<Picos> at) { nics_.expect_change(at); }
  /// The warm-up is over.
  void begin_measuring(Picos now);

  Packets& packets() { return packets_; }
  Decisions& decisions() { return decisions_; }
  Cpu& cpu() { return cpu_; }
  WireGuard& wireguard() { return wireguard_; }
  const WireGuard& wireguard() const { return wireguard_; }
  HostStack& host_stack() { return host_stack_; }
  Nics& nics() { return nics_; }
  FabricPath& fabric() { return fabric_; }
  Ports& ports() { return ports_; }
  ReceiveQueues& receive_queues() { return receive_queues_; }
  const Packets& packets() const { return packets_; }
  const Decisions& decisions() const { return decisions_; }
  const Cpu& cpu() const { return cpu_; }
  const HostStack& host_stack() const { return host_stack_; }
  const Nics& nics() const { return nics_; }
  const FabricPath& fabric() const { return fabric_; }
  const Ports& ports() const { return ports_; }
  const ReceiveQueues& receive_queues() const { return receive_queues_; }
  /// Null if the nodes have NICs or CPU time has no costs.
  VethPairs* veths() { return veths_.get(); }
  const VethPairs* veths() const { return veths_.get(); }
  /// Null if the NICs are not virtio or CPU time has no costs.
  Vhost* vhost() { return vhost_.get(); }
  const Vhost* vhost() const { return vhost_.get(); }
  /// Packets in the fullest receive queue of the node, or in the fullest backlog of veth pairs.
  std::uint32_t fullest_receive_queue(std::uint32_t node) const;
  const Network& network() const { return network_; }
  /// Whether prefetching pays: the run's working set exceeds a core's caches.
  bool is_large() const { return is_large_; }

 private:
  /// Lets a core work on each packet that a decision emits, and the packet enter its next station.
  /// Inlined at both places that call it: each event of a packet in a node runs it.
  struct CoreWork {
    PacketPath& path;
    std::uint32_t node;
    std::uint16_t core;

    [[gnu::always_inline]] void operator()(const HostStack::Forwarded& forwarded) const {
      path.hand_over(path.host_stack_.work(forwarded, node, core));
    }
  };

  /// Lets the packet's node decide about it, and the packet's core work on it.
  [[gnu::always_inline]] void enter_node(PacketId id, forward::Ingress ingress) {
    const std::uint32_t node = packets_[id].node;
    const std::uint16_t core = packets_[id].core;
    host_stack_.decide(id, ingress, CoreWork{*this, node, core});
  }
  void receive(PacketId id);
  void stop_node(std::uint32_t node);

  const Network& network_;
  bool is_large_;
  Decisions decisions_;
  Packets packets_;
  Cpu cpu_;
  WireGuard wireguard_;
  HostStack host_stack_;
  ReceiveQueues receive_queues_;
  Ports ports_;
  FabricPath fabric_;
  Nics nics_;
  std::unique_ptr<VethPairs> veths_;  ///< veths()
  std::unique_ptr<Vhost> vhost_;      ///< vhost()
};

/// Index from a node to the PacketPath of the node's partition.
class NodePaths {
 public:
  /// `partition_of` must outlive this object. `paths`: one for each partition.
  NodePaths(std::vector<const PacketPath*> paths, const PartitionOfNode& partition_of)
      : paths_(std::move(paths)), partition_of_(partition_of) {}

  const PacketPath& operator[](std::uint32_t node) const { return *paths_[partition_of_[node]]; }

 private:
  std::vector<const PacketPath*> paths_;
  const PartitionOfNode& partition_of_;
};

}  // namespace overlane::run
