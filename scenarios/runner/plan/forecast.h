#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "results/finding/finding.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

/// Memory limits.
struct MemoryLimits {
  std::optional<Bytes> most;       ///< The requested limit.
  std::optional<Bytes> available;  ///< Available memory of the machine, if known.
};

/// The number of threads, at most `threads`, whose runs fit the limits; each thread executes one
/// run at a time. An error (`memory-limit`) with the estimate if one run does not fit; the
/// machine's memory must be exceeded by more than the estimate's error. Without limits, `threads`.
Result<std::uint32_t> threads_that_fit(const Plan& plan, std::uint32_t threads,
                                       const MemoryLimits& limits);

/// Estimated memory with this many threads.
Bytes memory_of(const Plan& plan, std::uint32_t threads);

/// Estimated cost of a plan.
struct Forecast {
  std::size_t runs = 0;
  std::uint32_t threads = 1;
  double packets = 0;  ///< Packets of all runs.
  Bytes memory{};      ///< Peak.
};

Forecast forecast(const Plan& plan, std::uint32_t threads);

/// An error (`event-limit`) if the datagrams of the warm-up alone exceed a run's event limit:
/// nothing would be measured.
Result<void> check_events(const Plan& plan);

}  // namespace overlane::runner
