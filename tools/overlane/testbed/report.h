#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/kernel/experiment/place.h"
#include "results/report/column_table.h"
#include "topologies/testbed/reach.h"

namespace overlane::command {

/// The result of one variant on the kernel.
struct TestbedVariant {
  std::string name;
  std::optional<kernel::Place> place;  ///< Empty: not run; `reason` says why.
  std::string reason;
  std::vector<std::string> nodes;  ///< By number.
  testbed::Reach reach;
};

/// Whether kernel and model differ for any packet.
bool any_difference(const std::vector<TestbedVariant>& report);

/// A place to run kernels, and its abilities.
struct ProbedPlace {
  kernel::Place place;
  Parsed<kernel::Answer> answer;
};

nlohmann::ordered_json encode(const std::vector<TestbedVariant>& report);
nlohmann::ordered_json encode(const std::vector<ProbedPlace>& probed);
std::string print(const std::vector<TestbedVariant>& report, report::Style style);
std::string print(const std::vector<ProbedPlace>& probed, report::Style style);

}  // namespace overlane::command
