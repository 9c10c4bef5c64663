#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>

#include "dataplane/net/units.h"
#include "sim/cost/cost_profile.h"

namespace overlane::calibrate {

/// The model of a class of hosts, which predicts a table's rows.
struct HostModel {
  cost::CostProfile costs;  ///< Under the hosts' own kernel.
  Picos latency;            ///< One way, through wire and NICs.
  /// CPU cost under other kernels, as a factor (costs_under()); default 1.
  std::map<std::string, double, std::less<>> kernels;

  bool operator==(const HostModel&) const = default;
};

/// The profile under a kernel (spec::under_kernel()).
cost::CostProfile costs_under(const HostModel& model, std::string_view kernel);

}  // namespace overlane::calibrate
