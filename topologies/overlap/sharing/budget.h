#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/overlap/sharing/routing_scope.h"

namespace overlane::overlap {

/// What stands in one list of routes, and how much that holds.
struct RouteBudget {
  std::string routing_domain;
  std::string_view holder;          ///< "VPC network", "router", "route table".
  std::vector<std::string> shoots;  ///< Whose nodes' routes these are.
  std::int64_t minimum = 0;  ///< Routes when the workers have their least number of nodes …
  std::int64_t maximum = 0;  ///< … and their greatest.
  std::int64_t others = 0;   ///< Of both, those that are no node's.
  struct Manifest {
    std::string shoot;
    SourceLocation place;
  };
  std::vector<Manifest> not_created;  ///< Of the shoots, those that exist only as manifests.
  std::int64_t created_minimum = 0;   ///< As `minimum`, without them.
  std::optional<std::int64_t> quota;  ///< Nothing: nobody says.
  Interned quota_source;
  bool quota_assumed = false;  ///< The provider's usual one, or possibly another network's.

  /// Where it does not suffice: `domain-route-quota-by-minimum`, `domain-route-quota-by-maximum`.
  std::shared_ptr<const Finding> finding;

  /// How many routes too many there are with the least number of nodes; where these suffice, how
  /// many with the greatest. In order of what is worse.
  std::pair<std::int64_t, std::int64_t> lack() const;
  /// Whether the least number of nodes exceeds the quota only once shoots of `not_created` exist.
  bool waits_for_creation() const;
  /// How full the list gets, in thousandths of the quota; 0 without one.
  std::int64_t fullness() const;
};

/// One row for each list of routes that a routed shoot's nodes stand in, the fullest first.
std::vector<RouteBudget> route_budgets(const Inventory& inventory,
                                       const RoutingScopes& routing_scopes);

}  // namespace overlane::overlap
