#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/migration/inputs/load.h"
#include "scenarios/migration/strategy_result.h"
#include "scenarios/runner/plan/parallel.h"

// Strategies simulated with several seeds each, and judged. A case is a strategy with the facts of
// one dataplane and given durations; all seeds of all cases run in parallel. The results do not
// depend on the number of threads.

namespace overlane::migration {

/// Number of nodes above which a shoot is simulated with fewer seeds, because each run takes
/// seconds.
inline constexpr std::uint32_t kManyNodes = 250;
bool has_many_nodes(const Loaded& loaded);
/// Number of nodes up to which the worst durations are searched for thoroughly, and for every
/// strategy: all runs together then take seconds.
inline constexpr std::uint32_t kFewNodes = 20;
bool has_few_nodes(const Loaded& loaded);

struct EvaluationOptions {
  std::uint64_t seed = 1;
  std::uint32_t threads = 0;  ///< 0: one per core. The number does not change results.
  /// Whether to simulate both ends of the range of each duration. Sensitivities and the maintenance
  /// window need this.
  bool vary_durations = true;
  /// Receives the number of finished runs of a batch. The batches are the strategies, other node
  /// counts, and the ends of the ranges of durations.
  runner::TasksDone progress = {};
};

/// One strategy with given durations, simulated with `runs` seeds.
struct SimulationCase {
  const Loaded* loaded = nullptr;
  const Strategy* strategy = nullptr;
  Timing timing;
  std::uint32_t runs = 1;
  bool keeps_course = false;  ///< Whether the result has the SwitchResult of the first run.
};

/// Returns the results in the order of the cases. What the cases point to must outlive the results.
std::vector<StrategyResult> simulate_cases(const std::vector<SimulationCase>& cases,
                                           const EvaluationOptions& options);

}  // namespace overlane::migration
