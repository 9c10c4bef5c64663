#pragma once

#include <compare>
#include <optional>

#include "topologies/overlap/inventory/rules.h"
#include "topologies/overlap/inventory/shoot.h"

namespace overlane::overlap {

/// The relation between the networks of two ranges.
enum class NetworkRelation : std::uint8_t {
  OneRouteTable,     ///< One route table, with one entry per destination.
  OneNetwork,        ///< One VPC or vnet, with separate route tables per shoot.
  Connected,         ///< Two networks, joined by a peering, a transit gateway, a VPN …
  ConnectedForPods,  ///< … that also carries routes to pods.
};

struct Relation {
  NetworkRelation network_relation = NetworkRelation::OneNetwork;
  bool sure = true;          ///< The relation is sure.
  bool network_sure = true;  ///< One network, or two connected ones, for sure.

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
  /// Pods that need routes in the cloud, which nothing writes now.
  bool routes_missing = false;

  auto operator<=>(const Side&) const = default;
};

Side side_of(const Range& range);

/// Whether an overlap with this rule has its impact through routes to pods, so that it waits for
/// them while nothing writes them.
bool needs_routes(const rules::Rule& rule);

/// The rule that an overlap violates, and its severity.
struct Impact {
  const rules::Rule* rule = nullptr;
  Severity severity = Severity::Note;  ///< The rule's, lowered for assumptions.
  bool sure = true;                    ///< Does not depend on possible sharing.

  bool operator==(const Impact&) const = default;
};

/// For ranges of two shoots, or of a shoot and another owner. Nothing if one may contain the other
/// (nodes in their VPC).
std::optional<Impact> impact_of(const Side& a, const Side& b, Relation relation,
                                effective::Provider provider);

/// The addresses of a range, as other networks see them.
enum class Part : std::uint8_t { Pods, Services, Infrastructure };
/// Pods are Infrastructure if the cloud assigns their addresses to the nodes' interfaces.
Part part_of(Role role, DataplaneMode dataplane_mode);

}  // namespace overlane::overlap
