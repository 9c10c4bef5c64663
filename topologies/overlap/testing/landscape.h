#pragma once

#include <string>
#include <vector>

#include "topologies/overlap/inventory/read.h"
#include "topologies/overlap/report/find.h"

namespace overlane::overlap::testing {

/// What documents say, compared.
struct World : Comparison {
  explicit World(const std::string& yaml, const FindOptions& options = {});

  OverlapReport report;
};

/// A Shoot garden-dev/NAME on gcp in the network "shared-vpc". Empty `pods`: a seed's usual ones.
struct GcpShoot {
  std::string name;
  std::string nodes;
  std::string pods;
  bool overlay = false;
};
std::string yaml_of(const std::vector<GcpShoot>& shoots);

}  // namespace overlane::overlap::testing
