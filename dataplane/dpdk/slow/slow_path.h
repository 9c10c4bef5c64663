#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "dataplane/adjacency/punt_filter.h"
#include "dataplane/byte_rewrite/full_path.h"
#include "dataplane/dpdk/slow/node_links.h"
#include "dataplane/dpdk/tables/publication.h"
#include "dataplane/neighbour/table.h"
#include "dataplane/node/state/node_state.h"

struct rte_mbuf;

namespace overlane::dpdk {

// The slow path of a node, on the main core. It processes packets that no adjacency took, ICMP
// errors, fragments and timers. It owns the node's runtime (the state that the node learns from
// packets) and publishes the parts that workers need. Not thread-safe: workers read only what
// Publication gives them.

/// Addresses for which the node answers ARP and Neighbour Discovery on the link to its pods, and on
/// the link to the host, whose default route leads here like that of a pod.
neighbour::Answers gateway_answers();

/// Addresses that the node answers for on the link to other nodes.
neighbour::Answers uplink_answers(const node::NodeState& state);

/// Passes a packet to `take` as fragments of at most `mtu` bytes, or whole if it fits. Used for
/// packets that the node has reassembled: the host's stack behind a link accepts them only as they
/// could have arrived. DF is ignored, because the packets arrived in fragments. `identification` is
/// the identification of IPv6 fragments and should differ for each packet. Requires `mtu` >= 68.
void as_fragments(std::span<const std::uint8_t> packet, std::uint32_t mtu,
                  std::uint32_t identification,
                  const std::function<void(std::span<const std::uint8_t>)>& take);

/// Counters of the slow path. Each frame that no adjacency took is counted once: in `full`,
/// `neighbours` or `refused`.
struct SlowCounters {
  std::uint64_t full = 0;        ///< Packets that took the full path.
  std::uint64_t neighbours = 0;  ///< ARP and Neighbour Discovery.
  std::uint64_t refused = 0;  ///< Frames that are not addressed to the node or carry no IP packet.
  std::uint64_t errors_made = 0;  ///< ICMP errors of the node.
  std::uint64_t to_host = 0;      ///< Packets for the node itself, if it has no port to the host.
  std::uint64_t fragments_made =
      0;  ///< Additional packets created when a packet left in fragments.
  std::uint64_t fragments_joined = 0;  ///< Packets saved when fragments were reassembled.
  DropCounts drops;  ///< Packets, fragments of packets, and refused frames, by reason.
};

/// The full path of a node between its ports, on one core: packets that no adjacency took,
/// neighbours and timers. Owns everything that the node learns.
class SlowPath {
 public:
  /// All arguments must outlive the object. Packets are added to the queues; the caller must flush
  /// them. If `to_host` is null, packets for the node itself end here. `readers` is the number of
  /// other cores that read the published tables.
  SlowPath(const PacketPool& pool, SendQueue& to_pods, SendQueue& to_uplink, SendQueue* to_host,
           unsigned readers);

  /// Forwards by `generation` from the next packet on. Publishes it with the known link-layer
  /// addresses and requests those of its other next hops. Must be called before the first packet.
  void replace(std::shared_ptr<const Generation> generation, Picos now);

  /// Processes packets that arrived from `ingress`, and frees them.
  void take(std::span<rte_mbuf* const> packets, forward::Ingress ingress, Picos now);

  /// Runs the timers that are due. Must be called every few milliseconds.
  void tick(Picos now);
  /// Drops all packets that wait for a neighbour's answer.
  void give_up_waiting();
  /// Waits until no worker reads old generations, then frees them.
  void free_old();

  const Generation& generation() const { return *generation_; }
  /// The tables by which workers apply adjacencies.
  Publication& tables() { return tables_; }
  node::NodeRuntime& runtime() { return runtime_; }
  const node::NodeRuntime& runtime() const { return runtime_; }
  /// Counters without those of the links.
  const SlowCounters& counters() const { return counters_; }
  const NodeLinks& links() const { return links_; }
  /// Number of packets that wait for a neighbour's link-layer address.
  std::size_t waiting() const { return unresolved_.size() + links_.kept(); }
  /// Number of fragments that wait for the rest of their packet.
  std::size_t held() const { return full_path_.held(); }

 private:
  class OnFullPath;

  void publish();
  void take_frame(std::span<const std::uint8_t> frame, forward::Ingress ingress, Picos now);
  /// Processes a frame of a pod if it comes from the link-layer address of the pod that has the
  /// source IP address. The link-layer address identifies the pod, as its own veth does in Calico.
  void take_from_pod(std::span<const std::uint8_t> frame, Picos now);
  /// Processes kept frames whose source address has been resolved by now.
  void admit_unresolved(Picos now);
  void take_packet(std::span<const std::uint8_t> packet, forward::Ingress ingress, Picos now);
  /// Answers senders whose packets had an unreachable next hop.
  void report_unreachable(Picos now);
  /// Calls `action` with a Lookup in the generation's tables, and then publishes the exceptions
  /// that it learned to the adjacencies.
  template <typename Do>
  void decide(Do action);
  void refuse(Drop reason);

  std::shared_ptr<const Generation> generation_;
  NodeLinks links_;
  UnresolvedSources unresolved_;
  std::uint32_t host_identification_ = 0;  ///< Identification of IPv6 fragments to the host.
  byte_rewrite::FullPath full_path_;
  node::NodeRuntime runtime_;
  adjacency::RenewedPuntFilter exceptions_;
  Disposal disposal_;
  Publication tables_;
  SlowCounters counters_;
};

}  // namespace overlane::dpdk
