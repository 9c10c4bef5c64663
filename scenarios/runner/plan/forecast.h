#pragma once

#include <cstdint>
#include <string>

#include "results/finding/finding.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

/// Estimated cost of a plan.
struct Forecast {
  std::size_t runs = 0;
  std::uint32_t threads = 1;
  double packets = 0;  ///< Of all runs.
  Bytes memory{};      ///< Peak.
};

Forecast forecast(const Plan& plan, std::uint32_t threads);

/// An error (`event-limit`) if the datagrams of the warm-up alone exceed a run's event limit:
/// nothing would be measured.
Result<void> check_events(const Plan& plan);

}  // namespace overlane::runner
