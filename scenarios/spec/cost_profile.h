#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/net/units.h"
#include "results/finding/result.h"
#include "sim/cost/cost_profile.h"
#include "topologies/document/fields.h"
#include "topologies/document/tree.h"

namespace overlane::spec {

/// What another kernel of the same hosts takes, as a multiple of every cost.
struct KernelScale {
  std::string name;
  double scale = 1;  ///< Above 0.

  auto operator<=>(const KernelScale&) const = default;
};

/// All that a `kind: CostProfile` file says.
struct CostProfileFile {
  cost::CostProfile costs;
  std::string description;
  std::array<std::string, cost::kStageCount> sources;  ///< Of each stage.
  std::array<std::string, 2> ipv6_sources;  ///< Of netfilter and fib in IPv6, where they differ.
  /// One way between two such hosts, where it was measured or fitted together with the stages.
  std::optional<Picos> latency;
  std::vector<KernelScale> kernels;
};

/// Decodes every stage of cost::kStages, in nanoseconds, with the source of each value, and what
/// else the file says.
Result<CostProfileFile, Findings> decode_cost_profile_file(const document::Tree& tree);
/// The same, straight through: the findings go to the fields' Problems.
CostProfileFile decode_cost_profile_file(document::Fields& root);

/// The costs alone.
Result<cost::CostProfile, Findings> decode_cost_profile(const document::Tree& tree);

}  // namespace overlane::spec
