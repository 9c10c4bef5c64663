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

// The slow path of a node, on the main core: packets that no adjacency took, ICMP errors,
// fragments, timers. It owns the node's runtime and publishes what workers need to know of it. Not
// thread-safe; workers see only what Publication hands them.

/// For whom a node answers: to pods, and to a host whose default route leads here as theirs does.
neighbour::Answers gateway_answers();

/// Addresses that the node answers for on the link to other nodes.
neighbour::Answers uplink_answers(const node::NodeState& state);

/// Hands `take` a packet as fragments of at most `mtu` bytes, or whole where it fits. For packets
/// that the node put together for itself: its stack, on a link, takes them only as they could have
/// come. DF is no hindrance, for they came in fragments. IPv6 fragments get `identification`, which
/// should be another each time. Needs an `mtu` of 68 at the least.
void as_fragments(std::span<const std::uint8_t> packet, std::uint32_t mtu,
                  std::uint32_t identification,
                  const std::function<void(std::span<const std::uint8_t>)>& take);

/// What became of what no adjacency took. Every frame is counted once: as a message between
/// neighbours or a packet on the full path, or under `refused`.
struct SlowCounters {
  std::uint64_t full = 0;              ///< Packets that took the full path.
  std::uint64_t neighbours = 0;        ///< ARP and Neighbour Discovery.
  std::uint64_t refused = 0;           ///< Frames that are not for the node, or carry no IP packet.
  std::uint64_t errors_made = 0;       ///< ICMP errors of the node.
  std::uint64_t to_host = 0;           ///< Packets for the node itself, where it has no port to it.
  std::uint64_t fragments_made = 0;    ///< Packets more than before, where one left as fragments.
  std::uint64_t fragments_joined = 0;  ///< Packets fewer, where fragments became one.
  DropCounts drops;  ///< Packets, fragments of packets, and refused frames, by reason.
};

/// The full path of one node between its ports, on one core: what adjacencies leave, neighbours,
/// and timers. Owns all that the node learns.
class SlowPath {
 public:
  /// All must outlive it. What it sends goes to these queues, and out when somebody flushes them.
  /// Without a queue to the host, packets for the node itself end here. So many other cores read
  /// what it publishes.
  SlowPath(const PacketPool& pool, SendQueue& to_pods, SendQueue& to_uplink, SendQueue* to_host,
           unsigned readers);

  /// Forwards by another generation from the next packet on, and publishes it with the link-layer
  /// addresses that are known; its other next hops are asked for theirs. Must be called before the
  /// first packet.
  void replace(std::shared_ptr<const Generation> generation, Picos now);

  /// Takes packets that came in from there, and frees them.
  void take(std::span<rte_mbuf* const> packets, forward::Ingress ingress, Picos now);

  /// Does what time asks for: to be called every few milliseconds.
  void tick(Picos now);
  /// Drops all that waits for a neighbour's answer.
  void give_up_waiting();
  /// Waits until no worker reads old generations, and frees them.
  void free_old();

  const Generation& generation() const { return *generation_; }
  /// What adjacencies are to be taken by.
  Publication& tables() { return tables_; }
  node::NodeRuntime& runtime() { return runtime_; }
  const node::NodeRuntime& runtime() const { return runtime_; }
  /// Without what its links count.
  const SlowCounters& counters() const { return counters_; }
  const NodeLinks& links() const { return links_; }
  /// Packets that wait for a neighbour's answer: its link-layer address.
  std::size_t waiting() const { return unresolved_.size() + links_.kept(); }
  /// Fragments whose rest is waited for.
  std::size_t held() const { return full_path_.held(); }

 private:
  class OnFullPath;

  void publish();
  void take_frame(std::span<const std::uint8_t> frame, forward::Ingress ingress, Picos now);
  /// Takes what comes from the pod that has the source address: from its link-layer address, which
  /// stands for the veth that it would have to itself.
  void take_from_pod(std::span<const std::uint8_t> frame, Picos now);
  /// Takes frames for which that is known by now.
  void admit_unresolved(Picos now);
  void take_packet(std::span<const std::uint8_t> packet, forward::Ingress ingress, Picos now);
  /// Answers senders whose packets had an unreachable next hop.
  void report_unreachable(Picos now);
  /// Lets an action decide with a Lookup in the generation's tables, and adjacencies know of what
  /// it learned.
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
