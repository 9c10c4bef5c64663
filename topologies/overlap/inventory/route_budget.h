#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/overlap/inventory/routing_scope.h"

// How full each route table is. A route controller writes a route for each node's pod CIDR, all
// shoots of a table write into it together, and a cloud refuses routes beyond its quota: the pods
// of further nodes are then unreachable from other nodes. A RouteBudget adds the routes of all
// shoots that write into one table, at their workers' minimum and maximum, and the routes that lead
// elsewhere, and compares both sums with the quota. The quota comes from a RoutingDomains file,
// from the setting landscape.route-quota.PROVIDER, or is the provider's default.
namespace overlane::overlap {

/// The routes in one route table, and its quota.
struct RouteBudget {
  std::string routing_domain;
  std::string_view holder;          ///< "VPC network", "router", "route table".
  std::vector<std::string> shoots;  ///< The shoots that write routes into it.
  std::int64_t minimum = 0;         ///< Number of routes at the workers' minimum of nodes.
  std::int64_t maximum = 0;         ///< Number of routes at the workers' maximum of nodes.
  std::int64_t others = 0;          ///< Part of both: routes that do not lead to nodes.
  struct Manifest {
    std::string shoot;
    SourceLocation place;
  };
  std::vector<Manifest> not_created;  ///< Shoots that exist only as manifests.
  std::int64_t created_minimum = 0;   ///< The minimum without the shoots of `not_created`.
  std::optional<std::int64_t> quota;  ///< Empty: not known.
  Interned quota_source;
  bool quota_assumed = false;  ///< It is the provider's default, or possibly another network's
                               ///< quota.

  /// Set if the quota is exceeded: `domain-route-quota-by-minimum` or
  /// `domain-route-quota-by-maximum`.
  std::shared_ptr<const Finding> finding;

  /// Routes beyond the quota at the minimum of nodes, and at the maximum if the former is 0.
  /// Compares by severity.
  std::pair<std::int64_t, std::int64_t> excess() const;
  /// Whether the minimum exceeds the quota only once shoots of `not_created` are created.
  bool waits_for_creation() const;
  /// The maximum in thousandths of the quota; 0 without a quota.
  std::int64_t fullness() const;
};

/// One row per route table with routes to nodes, the fullest first.
std::vector<RouteBudget> route_budgets(const Inventory& inventory,
                                       const RoutingScopes& routing_scopes);

}  // namespace overlane::overlap
