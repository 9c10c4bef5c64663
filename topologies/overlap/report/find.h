#pragma once

#include "topologies/overlap/report/report.h"
#include "topologies/overlap/search/comparison_scope.h"

namespace overlane::overlap {

struct FindOptions {
  std::size_t most_listed = 1000;      ///< Pairs of one group.
  Severity least = Severity::Warning;  ///< What weighs less is only counted.
  std::string domain;                  ///< Only this one, by its key; empty: all.
  unsigned threads = 0;                ///< 1: no other one helps. Nothing depends on it.
};

/// Compares every range of every shoot with all that it could meet.
OverlapReport find_overlaps(const Inventory& inventory, const RoutingScopes& routing_scopes,
                            const std::vector<ComparisonScope>& comparison_scopes,
                            const FindOptions& options);

}  // namespace overlane::overlap
