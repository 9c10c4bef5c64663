#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/net/units.h"
#include "results/finding/result.h"
#include "sim/cost/cost_profile.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"

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
  std::string kernel;  ///< Whose costs they are; empty where the file does not say.
  std::vector<KernelScale> kernels;
};

/// A profile under a kernel that takes `scale` times as long: every cost but for what a byte takes.
/// What kernels differ in on one machine is the code around the bytes, and what it does against
/// speculation; copying is the memory's.
cost::CostProfile under_kernel(const cost::CostProfile& costs, double scale);
/// Every part of a cost times `factor`, in whole picoseconds.
cost::StageCost scaled(const cost::StageCost& cost, double factor);

/// The costs under a kernel that the file names; nothing where it names no such kernel.
std::optional<cost::CostProfile> costs_under(const CostProfileFile& file,
                                             const std::string& kernel);

/// Decodes every stage of cost::kStages, in nanoseconds, with the source of each value, and what
/// else the file says.
Result<CostProfileFile, Findings> decode_cost_profile_file(const document::Tree& tree);
/// The same, straight through: the findings go to the fields' Problems.
CostProfileFile decode_cost_profile_file(document::Fields& root);

/// The costs alone.
Result<cost::CostProfile, Findings> decode_cost_profile(const document::Tree& tree);

}  // namespace overlane::spec
