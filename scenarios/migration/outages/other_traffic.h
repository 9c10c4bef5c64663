#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/net/units.h"
#include "dataplane/node/state/world.h"
#include "scenarios/migration/outages/outages.h"
#include "scenarios/migration/verdict/verdict.h"
#include "topologies/path/reach/node_classes.h"

namespace overlane::migration {

// Traffic during a switch other than connections between pods: connections through NodePorts that a
// node masquerades, queries to upstream DNS under pods' own addresses, requests between nodes and
// pods, and full-size datagrams. The recorders follow the changes of a world. other_traffic() says
// which connections are interrupted and for how long.

/// An established connection from a node to a pod of another node that a change of the world has
/// ended.
struct EndedConnection {
  std::uint32_t from = 0;  ///< The node that masquerades the connection.
  std::uint32_t to = 0;
  Picos at;
};

/// Established connections that nodes masquerade towards pods of other nodes: from clients outside
/// the cluster through NodePorts, and from clients with hostNetwork to Services. A connection ends
/// when the node's route to the pod changes to another device than at its start
/// (nf_nat_oif_changed, net/netfilter/nf_nat_core.c; Drop::NatDeviceChanged).
class MasqueradedConnections {
 public:
  /// Keeps a reference to `world`. The last `joining` nodes are absent until they join.
  MasqueradedConnections(const node::World& world, std::uint32_t joining);

  void see(const node::WorldChange& change, Picos now);
  void join(std::uint32_t node, Picos now);
  void leave(std::uint32_t node, Picos now);

  /// Returns the first ended connection of each pair of nodes.
  std::vector<EndedConnection> take() { return std::move(ended_); }

 private:
  struct Pair {
    node::DeviceName device;  ///< Empty if there never was a route.
    bool has_ended = false;
  };

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(absent_.size()); }
  void look(std::uint32_t from, std::uint32_t to, Picos now);
  void look_at_all(std::uint32_t from, Picos now);

  const node::World& world_;
  path::FirstPods pods_;
  std::vector<bool> absent_;
  std::vector<Pair> pairs_;  ///< By sender, then by receiver.
  std::vector<EndedConnection> ended_;
};

/// Records the times in which queries of each node's pods to upstream DNS are not masqueraded,
/// although they were at the start. If they were not, the nameservers evidently answer pods, and
/// nothing is recorded.
class UpstreamDns {
 public:
  /// Keeps a reference to `world`. The last `joining` nodes have no pods until they join.
  UpstreamDns(const node::World& world, std::uint32_t joining, std::vector<IpAddress> nameservers);

  void see(const node::WorldChange& change, Picos now);
  void join(std::uint32_t node, Picos now);
  void leave(std::uint32_t node, Picos now);

  /// Returns the recorded times, in order, as outages from a node to itself.
  std::vector<Outage> take() { return std::move(outages_); }

 private:
  bool are_masqueraded(const node::NodeState& node) const;
  /// Records whether the queries of a node are masqueraded.
  void note(std::uint32_t node, bool are_masqueraded, Picos now);

  const node::World& world_;
  std::vector<IpAddress> nameservers_;
  std::vector<bool> absent_;
  /// By node: index in outages_ of the outage that has not ended.
  std::vector<std::optional<std::size_t>> open_;
  std::vector<Outage> outages_;
};

/// The outages between all nodes, by kind of traffic.
struct TrafficOutages {
  const std::vector<Outage>& pod_to_pod;   ///< A connection needs both directions.
  const std::vector<Outage>& node_to_pod;  ///< A request with its answer.
  const std::vector<Outage>& pod_to_node;  ///< A request with its answer.
  /// Times in which a node's pods reach a nameserver under their own addresses, which some
  /// nameservers refuse. `from` and `to` are both the node.
  const std::vector<Outage>& unmasqueraded;
  const std::vector<Outage>& full_size;       ///< Outages of full-size datagrams.
  const std::vector<EndedConnection>& ended;  ///< Connections through NodePorts.
};

/// The outages of one kind of traffic.
struct TrafficResult {
  std::string_view name;     ///< "node to pod"; static storage, like `group` and `meaning`.
  std::string_view group;    ///< "nodes"; results of one group are adjacent.
  std::string_view meaning;  ///< The clients and servers of this traffic.
  Impact impact{};           ///< The impact that an operator accepts with these outages.
  /// Whether an interruption depends on a server or client that Overlane does not know.
  bool is_possible_only = false;
  std::string_view unit = "pair";  ///< Counted by `pairs`: "pair" of two nodes, or "node".
  std::uint64_t pairs = 0;         ///< Pairs of nodes, in no order; for DNS: clients' nodes.
  std::uint64_t affected = 0;      ///< Pairs with any outage, in either direction.
  std::uint64_t lasting = 0;       ///< Pairs with an outage that never ends.
  Picos longest;                   ///< Longest outage that ends.
  /// Longest outage if assumptions do not hold; kNever: one is never over. Not less than
  /// longest_or_never() in a StrategyResult, else zero.
  Picos longest_at_worst;
  /// Whether affected connections are established ones that end. New connections have the outages
  /// of pods.
  bool ends = false;

  Picos longest_or_never() const { return lasting > 0 ? kNever : longest; }
};

/// The nodes of the two CoreDNS pods: the first and the last node that are present at the start.
std::array<std::uint32_t, 2> dns_nodes(const Presence& presence);

/// Returns the outages of DNS queries from the pods of each node to the CoreDNS pods of other
/// nodes, by a Service or not. A query needs both directions.
std::vector<Outage> dns_outages(const std::vector<Outage>& pod_to_pod, const Presence& presence);

/// Returns the outages of these kinds of traffic: node to pod and pod to node; full-size datagrams
/// of pods; connections through NodePorts; DNS, with the two CoreDNS pods on dns_nodes(); and
/// traffic from the API server through vpn-shoot, which runs on the first node. DNS and the API
/// server are left out if nodes leave, because those pods move then.
std::vector<TrafficResult> other_traffic(const TrafficOutages& outages, const Presence& presence);

}  // namespace overlane::migration
