#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "sim/cost/cost_profile.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"

namespace overlane::spec {

// A `kind: CostProfile` file: the CPU cost of every stage of the packet path on a class of hosts,
// with the source of each cost. The file may also have the one-way latency between two such hosts
// and the factors of other kernels. Costs are picoseconds here and nanoseconds in the file.

/// The cost of another kernel on the same hosts, as a factor of the profile's costs.
struct KernelScale {
  std::string name;
  double scale = 1;  ///< Above 0.

  auto operator<=>(const KernelScale&) const = default;
};

/// The content of a `kind: CostProfile` file.
struct CostProfileFile {
  cost::CostProfile costs;
  std::string description;
  std::array<std::string, cost::kStageCount> sources;  ///< Source of each stage's cost.
  std::array<std::string, 2> ipv6_sources;  ///< Netfilter and fib in IPv6; empty if not given.
  /// One-way latency between two such hosts, if it was measured or fitted together with the stages.
  std::optional<Picos> latency;
  std::string kernel;  ///< Kernel under which the costs hold; may be empty.
  std::vector<KernelScale> kernels;
  /// If the profile was fitted to a MeasurementTable: the constants that its rows determine, by
  /// name. All others follow the speed of the hosts.
  std::vector<std::string> determined;
  /// If this profile is a mean: the profiles of the hosts, as names in the library or as files.
  /// Empty if the costs are those of one class of hosts.
  std::vector<std::string> hosts;
};

/// The profile under a kernel whose costs are `scale` times as high. Costs per byte are unchanged,
/// since copying depends on the memory and not on the kernel.
cost::CostProfile under_kernel(const cost::CostProfile& costs, double scale);
/// The cost with every part multiplied by `factor`, in whole picoseconds.
cost::StageCost scaled(const cost::StageCost& cost, double factor);

/// The costs under a kernel named in the file; nothing if the file does not name it.
std::optional<cost::CostProfile> costs_under(const CostProfileFile& file,
                                             const std::string& kernel);

/// Decodes all stages of cost::kStages, in nanoseconds, with their sources, and the other fields.
Result<CostProfileFile, Findings> decode_cost_profile_file(const document::Tree& tree);
/// Decodes the fields of a CostProfile; adds errors to the fields' Problems.
CostProfileFile decode_cost_profile_file(document::Fields& root);

/// Decodes a CostProfile and returns only its costs.
Result<cost::CostProfile, Findings> decode_cost_profile(const document::Tree& tree);

}  // namespace overlane::spec
