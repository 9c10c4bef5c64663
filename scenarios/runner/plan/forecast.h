#pragma once

#include <cstdint>
#include <string>

#include "results/finding/result.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

/// What a plan is going to take, about.
struct Forecast {
  std::size_t runs = 0;
  std::uint32_t threads = 1;
  double packets = 0;  ///< Of all runs.
  Bytes memory{};      ///< At once.
};

Forecast forecast(const Plan& plan, std::uint32_t threads);

/// An error (`event-limit`) when the datagrams that are sent in any case take all events that a run
/// may have during its warm-up, so that nothing would be measured.
Result<void> check_events(const Plan& plan);

}  // namespace overlane::runner
