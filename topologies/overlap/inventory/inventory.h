#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/domains/declarations.h"
#include "topologies/overlap/inventory/shoot.h"

namespace overlane::overlap {

/// The input of a comparison.
struct Inventory {
  std::vector<Shoot> shoots;  ///< Ordered by name: the order of files does not matter.
  domains::Declarations declared;
  std::vector<IpPrefix> landscape_reserved;  ///< By `--set landscape.reserved-ranges` …
  std::map<effective::Provider, std::int64_t> route_quotas;  ///< … and `landscape.route-quota.*`.
  Findings findings;                                         ///< About the documents.
};

}  // namespace overlane::overlap
