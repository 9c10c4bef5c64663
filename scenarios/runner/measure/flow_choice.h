#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "sim/run/run.h"

namespace overlane::runner {

/// One flow of a scenario.
struct FlowName {
  std::string traffic;
  std::uint32_t number = 0;

  bool operator==(const FlowName&) const = default;
};

/// The flow that `selector` names: "bulk/3", "bulk" for its first flow, or
/// "100.96.0.2->100.96.1.2", the first flow from one pod to another. An unknown flow is the error
/// `unknown-flow`; its hint lists the flows.
Result<FlowName> choose_flow(const std::vector<run::TrafficGroup>& traffic,
                             const std::string& selector);

}  // namespace overlane::runner
