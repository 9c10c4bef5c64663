#pragma once

#include <cstdint>
#include <map>

#include "results/finding/finding.h"
#include "topologies/effective/landscape.h"

namespace overlane::effective {

/// The route quota that all results use: the landscape operator's setting, else the default of the
/// provider's profile.
RouteRoom route_room(Provider provider, const std::map<Provider, std::int64_t>& set);

/// What of one list of routes counts against its quota when one shoot writes into it: checks,
/// budgets and compiled fabrics all count by this.
struct RouteCount {
  std::int64_t others = 0;    ///< Routes of no node.
  std::int64_t per_node = 1;  ///< Routes of each node.

  std::int64_t of(std::int64_t nodes) const { return others + nodes * per_node; }
};

/// Whether a controller writes routes to the nodes' pod CIDRs, in either family. False for an
/// opaque network.
bool has_cloud_routes(const EffectiveDataplane& shoot);

RouteCount route_count(const EffectiveDataplane& shoot);

/// How severe it is that routes exceed their quota: an error where the least number of nodes
/// exceeds a quota that is known (declared, or set by the landscape's operator), whether or not the
/// shoots are created yet; a warning where the quota is assumed or only more nodes would exceed it.
constexpr Severity route_quota_severity(bool by_minimum, bool is_assumed) {
  return by_minimum && !is_assumed ? Severity::Error : Severity::Warning;
}

}  // namespace overlane::effective
