#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/domains/declarations.h"
#include "topologies/overlap/inventory/shoot.h"

namespace overlane::overlap {

/// All that is compared.
struct Inventory {
  std::vector<Shoot> shoots;  ///< In order of their names, so that nothing depends on the files'.
  domains::Declarations declared;
  std::vector<IpPrefix> landscape_reserved;  ///< By `--set landscape.reserved-ranges` …
  std::map<effective::Provider, std::int64_t> route_quotas;  ///< … and `landscape.route-quota.*`.
  Findings findings;  ///< What could not be used, and what was made of it.
};

}  // namespace overlane::overlap
