#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "results/finding/finding.h"
#include "topologies/effective/landscape.h"
#include "topologies/effective/network_inputs.h"
#include "topologies/effective/provenance.h"

namespace overlane::effective {

// Whether pods of a routed shoot can reach each other: which controller writes a route for each
// node's pod CIDR into the cloud's tables, whether that is needed, and how many routes a table may
// hold. Wherever routes are counted, route_count() and route_room() are used, so that checks,
// budgets and compiled fabrics agree. All functions are pure.

/// How pod traffic of a family reaches other nodes without a network extension.
RoutesBy native_routes(const provider::Profile& provider, const Families& families, Family family);

/// The rule about a shoot with this gap (topologies/rules).
std::string_view rule_of(RouteGap gap);

/// The rule about a shoot whose pods have addresses without routes; empty for AddressGap::None.
std::string_view rule_of(AddressGap gap);

/// Why the pods' addresses have no routes, as a clause.
std::string_view in_words(AddressGap gap);

/// Returns the network's finding about pod addresses without routes, for any IP family; null: no
/// such finding.
const Finding* finding_about_addresses(const EffectiveDataplane& network);

/// Number of subnets that the shoot's nodes are in: one per zone, unless the provider has one for
/// all zones.
std::size_t count_node_subnets(const NetworkInputs& inputs);

/// Whether pods of a routed family need routes of the network to reach other nodes, at least those
/// of other subnets, since no node writes such routes.
bool needs_cloud_routes(const NetworkInputs& inputs, Family family, const Dataplane& dataplane);

/// Whether a controller maintains the routes to pods, and why not if pods need them.
struct CloudRouteDecision {
  CloudRoutes value = CloudRoutes::NotNeeded;
  RouteGap gap = RouteGap::None;
  Provenance basis;
};

/// Which pods a pod reaches, according to the derivation. Addresses without a route (AddressGap)
/// are reached by chance only and count as unreachable.
enum class PodReach {
  AllNodes,
  OwnSubnet,    ///< Nodes of the sender's subnet only.
  NoOtherNode,  ///< Only pods of the sender's node.
};

/// Whether the network between nodes drops the packets of the dataplane's tunnel.
bool drops_tunnel(const provider::Profile& provider, const Dataplane& dataplane);

/// Whether BIRD writes unreachable routes to the pods of other nodes: if machines have /32
/// addresses, the next hop is not a neighbour.
bool has_unreachable_routes(const provider::Profile& provider, const Dataplane& dataplane);

/// Whether packets between nodes have pods' own addresses in a network whose ports allow only known
/// addresses (OpenStack's port security).
bool shows_pod_sources(const provider::Profile& provider, const Dataplane& dataplane);

/// Whether the network drops packets from pods' own addresses: OVN's security groups know only the
/// fixed addresses of ports.
bool drops_pod_sources(const EffectiveDataplane& network, const Dataplane& dataplane);

/// The condition under which pods reach other nodes, as a clause: that an unknown provider writes
/// the routes which they need. Empty: no condition. `dataplane` must be one of the network's.
std::string condition_of_reach(const EffectiveDataplane& network, const Dataplane& dataplane);

/// The condition under which the values of a live object hold that is not as admission stores it,
/// as a clause; empty: no condition.
std::string condition_of_storage(const EffectiveDataplane& network);

/// The reach of the network's pods in one family. `dataplane` must be one of the network's.
PodReach pod_reach(const EffectiveDataplane& network, const Dataplane& dataplane);

/// Whether the provider's route controller writes a route for each node's pod CIDR of `family`, as
/// the provider's extension configures it (topologies/provider). `dataplane` is that family's. Pods
/// also need the routes where the nodes' own routes do not reach: in other subnets, and in networks
/// that do not honour a next hop.
CloudRouteDecision decide_cloud_routes(const NetworkInputs& inputs, Family family,
                                       const Dataplane& dataplane);

/// The route quota that all results use: the landscape operator's setting, else the default of the
/// provider's profile.
RouteRoom route_room(Provider provider, const std::map<Provider, std::int64_t>& set);

/// The routes of one shoot that count against the quota of one route table.
struct RouteCount {
  std::int64_t others = 0;    ///< Routes that lead to none of the shoot's nodes.
  std::int64_t per_node = 1;  ///< Routes of each node.

  std::int64_t of(std::int64_t nodes) const { return others + nodes * per_node; }
};

/// Whether a controller writes routes to the nodes' pod CIDRs, in either family. False for an
/// opaque network.
bool has_cloud_routes(const EffectiveDataplane& shoot);

/// The routes of the shoot in each of its route tables.
RouteCount route_count(const EffectiveDataplane& shoot);

/// The severity of routes beyond their quota. It is an error if the minimum of nodes exceeds a
/// known quota (declared, or set by the landscape's operator), whether or not the shoots exist yet;
/// it is a warning if the quota is assumed or only more nodes than the minimum exceed it.
constexpr Severity route_quota_severity(bool by_minimum, bool is_assumed) {
  return by_minimum && !is_assumed ? Severity::Error : Severity::Warning;
}

}  // namespace overlane::effective
