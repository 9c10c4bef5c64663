#pragma once

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

// Traffic of a switch that is not from pod to pod: connections through NodePorts that a node
// masquerades, queries to upstream DNS under pods' own addresses, requests between nodes and pods,
// and full-size datagrams. The recorders watch a world while it changes; the results say which
// connections are interrupted and for how long.

/// An established connection that a change has ended: from a node to a pod of another node.
struct EndedConnection {
  std::uint32_t from = 0;  ///< The node that masquerades it.
  std::uint32_t to = 0;
  Picos at;
};

/// Established connections that nodes masquerade towards pods of other nodes: those that clients
/// outside the cluster have through NodePorts, and clients with hostNetwork to Services. One ends
/// when the node's route to the pod leaves through another device than it began on
/// (nf_nat_oif_changed, net/netfilter/nf_nat_core.c), as Drop::NatDeviceChanged says.
class MasqueradedConnections {
 public:
  /// Refers to the world. The last `joining` nodes are absent until they join.
  MasqueradedConnections(const node::World& world, std::uint32_t joining);

  void see(const node::WorldChange& change, Picos now);
  void join(std::uint32_t node, Picos now);
  void leave(std::uint32_t node, Picos now);

  /// The first of each pair of nodes.
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

/// Notes when the queries of each node's pods to upstream DNS are not masqueraded.
class UpstreamDns {
 public:
  /// Refers to the world, in which they are masqueraded at the beginning. The last `joining` nodes
  /// have no pods until they join.
  UpstreamDns(const node::World& world, std::uint32_t joining, std::vector<IpPrefix> nameservers);

  void see(const node::WorldChange& change, Picos now);
  void join(std::uint32_t node, Picos now);
  void leave(std::uint32_t node, Picos now);

  /// From a node to itself, by time.
  std::vector<Outage> take() { return std::move(outages_); }

 private:
  bool are_masqueraded(const node::NodeState& node) const;
  /// Notes how a node's queries fare.
  void note(std::uint32_t node, bool are_masqueraded, Picos now);

  const node::World& world_;
  std::vector<IpPrefix> nameservers_;
  std::vector<bool> absent_;
  std::vector<std::optional<std::size_t>> open_;  ///< By node: which of outages_.
  std::vector<Outage> outages_;
};

/// The outages between all nodes, by what is at their ends.
struct TrafficOutages {
  const std::vector<Outage>& pod_to_pod;   ///< A connection needs both directions.
  const std::vector<Outage>& node_to_pod;  ///< A request with its answer.
  const std::vector<Outage>& pod_to_node;  ///< A request with its answer.
  /// Times in which a node's pods reach a nameserver under their own addresses, which some refuse;
  /// `to` is the node as well.
  const std::vector<Outage>& unmasqueraded;
  const std::vector<Outage>& full_size;       ///< Outages of full-size datagrams.
  const std::vector<EndedConnection>& ended;  ///< Through NodePorts.
};

/// The outages of one kind of traffic.
struct TrafficResult {
  std::string_view name;     ///< "node to pod"; static storage, as the next.
  std::string_view group;    ///< "nodes": what is alike follows one another.
  std::string_view meaning;  ///< Which clients and servers.
  Impact impact{};           ///< What an operator accepts with its outages.
  /// An interruption depends on a server or client that Overlane does not know.
  bool is_possible_only = false;
  std::uint64_t pairs = 0;  ///< Pairs of a client's and a server's node; for DNS: clients' nodes.
  std::uint64_t affected = 0;  ///< Pairs with any outage.
  std::uint64_t lasting = 0;   ///< Pairs with an outage that never ends.
  Picos longest;               ///< Longest outage that ends.
  /// The affected ones are established connections that end; new ones fare as pods do.
  bool ends = false;
};

/// Node to pod and pod to node; pods' datagrams of full size; connections through NodePorts; DNS,
/// with CoreDNS's two pods on the first node and on the last one of those that are there at the
/// beginning; and what the API server reaches through vpn-shoot, which runs on the first node.
/// Those with a fixed node are left out where nodes leave, since their pods move.
std::vector<TrafficResult> other_traffic(const TrafficOutages& outages, const Presence& presence);

}  // namespace overlane::migration
