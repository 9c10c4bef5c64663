#pragma once

#include <cstdint>
#include <optional>

#include "results/finding/result.h"
#include "scenarios/runner/plan.h"

namespace overlane::runner {

/// Threads on which the plan takes no more than `limit`, at most `threads`: each carries a run of
/// its own. An error (`memory-limit`), with the estimate, when even one is too many. Without a
/// limit, `threads`.
Result<std::uint32_t> threads_that_fit(const Plan& plan, std::uint32_t threads,
                                       std::optional<Bytes> limit);

}  // namespace overlane::runner
