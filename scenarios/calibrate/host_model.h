#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>

#include "dataplane/net/units.h"
#include "sim/cost/cost_profile.h"

namespace overlane::calibrate {

/// What is known of a class of hosts: what predicts a table's rows.
struct HostModel {
  cost::CostProfile costs;  ///< Under the first kernel.
  Picos latency;            ///< One way, through wire and NICs.
  /// What the CPU takes under other kernels, as a multiple (costs_under()); one that is not there
  /// costs the same.
  std::map<std::string, double, std::less<>> kernels;

  bool operator==(const HostModel&) const = default;
};

/// The profile under a kernel: every cost times that kernel's scale, but for what a byte takes.
/// What kernels differ in on one machine is the code around the bytes, and what it does against
/// speculation; copying is the memory's.
cost::CostProfile costs_under(const HostModel& model, std::string_view kernel);

/// Every part of a cost times `factor`, in whole picoseconds.
cost::StageCost scaled(const cost::StageCost& cost, double factor);

}  // namespace overlane::calibrate
