#pragma once

#include <cstdint>
#include <optional>

#include "results/finding/result.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

/// What there is to take.
struct MemoryLimits {
  std::optional<Bytes> most;       ///< As was asked.
  std::optional<Bytes> available;  ///< Of the machine, if anybody knows.
};

/// Threads on which the plan takes no more than that, at most `threads`: each carries a run of its
/// own. An error (`memory-limit`), with the estimate, when even one is too many; what the machine
/// has must be exceeded by more than the estimate may be wrong. Without limits, `threads`.
Result<std::uint32_t> threads_that_fit(const Plan& plan, std::uint32_t threads,
                                       const MemoryLimits& limits);

/// What it takes on so many threads, about.
Bytes memory_of(const Plan& plan, std::uint32_t threads);

}  // namespace overlane::runner
