#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/inventory/rules.h"
#include "topologies/overlap/inventory/shoot.h"
#include "topologies/ranges/pod_cidrs.h"

// The impact of an overlap of two ranges: the traffic or routes that it breaks. It depends on the
// relation of their networks (one route table, one network, connected networks), on the roles of
// both ranges, and on whether routes or a tunnel carry the pods' packets. One route table holds one
// entry per destination, so routed pods of two shoots take each other's traffic there; an overlay
// hides pod addresses from the network, so equal ranges are harmless until routes lead to one of
// them. `impact_of` chooses the rule and lowers its severity if the documents are not conclusive;
// `consequence` describes the impact in a sentence for the provider. `until_conflict` computes when
// the conflict begins: Kubernetes allocates pod CIDRs in ascending order, so large overlapping
// ranges conflict only after some number of node creations. The functions have no state and may run
// on any thread.
namespace overlane::overlap {

/// The relation between the networks of two ranges.
enum class NetworkRelation : std::uint8_t {
  OneRouteTable,     ///< One route table, with one entry per destination.
  OneNetwork,        ///< One VPC or vnet, with separate route tables per shoot.
  Connected,         ///< Two networks that a peering, a transit gateway or a VPN joins.
  ConnectedForPods,  ///< Connected, and the connection also carries routes to pods.
};

struct Relation {
  NetworkRelation network_relation = NetworkRelation::OneNetwork;
  bool sure = true;          ///< Whether the relation is certain.
  bool network_sure = true;  ///< Whether the networks are certainly one, or connected.

  auto operator<=>(const Relation&) const = default;
};

constexpr bool is_connected(NetworkRelation network_relation) {
  return network_relation == NetworkRelation::Connected ||
         network_relation == NetworkRelation::ConnectedForPods;
}

/// The properties of a range that decide the impact of an overlap.
struct Side {
  Role role = Role::Pods;
  DataplaneMode dataplane_mode = DataplaneMode::None;
  bool assumed = false;
  bool inner = true;
  bool outer = true;
  /// Pods that need routes in the cloud, which no controller writes now.
  bool routes_missing = false;

  auto operator<=>(const Side&) const = default;
};

Side side_of(const Range& range);

/// Whether an overlap with this rule has its impact through routes to pods, and so has none while
/// no controller writes them.
bool needs_routes(const rules::Rule& rule);

/// The rule that an overlap violates, and its severity.
struct Impact {
  const rules::Rule* rule = nullptr;
  Severity severity = Severity::Note;  ///< Severity of the rule, lowered for assumptions.
  bool sure = true;                    ///< False if it depends on networks or tables that are only
                                       ///< possibly shared.

  bool operator==(const Impact&) const = default;
};

/// Impact of an overlap between ranges of two shoots, or of a shoot and another owner. Returns
/// nullopt if one range may contain the other (nodes in their VPC).
std::optional<Impact> impact_of(const Side& a, const Side& b, Relation relation,
                                effective::Provider provider);

/// The addresses of a range, as other networks see them.
enum class Part : std::uint8_t { Pods, Services, Infrastructure };
/// Pods are Infrastructure if the cloud assigns their addresses to the nodes' interfaces.
Part part_of(Role role, DataplaneMode dataplane_mode);

/// The owner and the role of a range.
struct RangeOwner {
  std::string name;
  Role role = Role::Pods;
  DataplaneMode dataplane_mode = DataplaneMode::None;
  bool routes_missing = false;  ///< See Side::routes_missing.
};

/// The impact of an overlap, as a sentence. The order of the owners does not matter.
std::string consequence(const Impact& impact, const Relation& relation,
                        effective::Provider provider, RangeOwner first, RangeOwner second);

/// Node creations until two shoots allocate overlapping pod CIDRs from their pod ranges `a` and
/// `b`. The pod CIDRs in use are those of their Nodes; without Nodes, the workers' minimum from the
/// start of the range.
ranges::UntilConflict until_conflict(const Shoot& first, const Range& a, const Shoot& second,
                                     const Range& b);

/// Node creations until the shoot allocates a pod CIDR that overlaps `hosts`.
ranges::UntilConflict until_conflict(const Shoot& shoot, const Range& pods, const IpPrefix& hosts);

/// Whether a provider's route controller deletes foreign routes inside the shoot's own pod range,
/// so that two shoots lose routes before any of their pod CIDRs overlap
/// (aws-custom-route-controller pkg/updater; cloud-provider controllers/route, of azure and
/// openstack). GCP's recognizes its own routes by name, and Alibaba Cloud's deletes only routes
/// inside a node's own pod CIDR (cloud-provider-alibaba-cloud pkg/controller/route/manager.go).
bool deletes_routes_of_others(effective::Provider provider);

// Overlaps that need no second shoot: between a shoot's own ranges, with the ranges of its seed
// (the VPN between seed and shoot then has no unique route), and with ranges that Gardener, the
// cloud or the landscape's operator reserves. `SelfOverlap` refers to ranges of the shoot, its seed
// or `reserved`, which must outlive it.

/// An overlap within one shoot, with its seed or with a reserved range.
struct SelfOverlap {
  const Range& own;
  const Range& other;
  Impact impact;
  bool is_own = false;     ///< `other` belongs to the same shoot.
  std::string_view owner;  ///< Owner of `other` if not `is_own`.
};

/// A range that Gardener, a cloud or the landscape operator reserves.
struct Reserved {
  Range range;
  std::string owner;
  std::string_view rule;  ///< The rule that a shoot with such addresses violates.
  /// The only provider whose shoots it applies to; empty: all.
  std::optional<effective::Provider> provider;
};
std::vector<Reserved> reserved_ranges(const Inventory& inventory);

/// The impact of an overlap within a shoot or with reserved ranges, as a sentence.
std::string consequence(const Shoot& shoot, const SelfOverlap& pair);

/// Compares a shoot's ranges with each other, with its seed's and with reserved ranges. If Gardener
/// refuses the shoot, reports pods and services with the first node or VPC range only.
void compare_own_ranges(const Shoot& shoot, const std::vector<Reserved>& reserved,
                        const std::function<void(const SelfOverlap&)>& visit);

}  // namespace overlane::overlap
