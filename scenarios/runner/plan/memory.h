#pragma once

#include <cstdint>
#include <optional>

#include "results/finding/finding.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

/// Memory limits.
struct MemoryLimits {
  std::optional<Bytes> most;       ///< As requested.
  std::optional<Bytes> available;  ///< Of the machine, if known.
};

/// The number of threads, at most `threads`, whose runs fit the limits; each thread executes one
/// run at a time. An error (`memory-limit`) with the estimate if one run does not fit; the
/// machine's memory must be exceeded by more than the estimate's error. Without limits, `threads`.
Result<std::uint32_t> threads_that_fit(const Plan& plan, std::uint32_t threads,
                                       const MemoryLimits& limits);

/// Estimated memory with this many threads.
Bytes memory_of(const Plan& plan, std::uint32_t threads);

}  // namespace overlane::runner
