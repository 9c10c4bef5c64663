#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/finding/finding.h"
#include "scenarios/runner/load/prepare.h"
#include "scenarios/runner/plan/variant.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/inputs/traffic_group.h"

namespace overlane::runner {

// The plan of a scenario: all simulations that its report needs, and a forecast of their memory and
// packets. The forecast limits the number of threads.

/// One simulation: indices of a variant, a repetition, and a round (traffic groups that run at the
/// same time).
struct PlannedRun {
  std::size_t variant = 0;
  std::size_t repetition = 0;
  std::size_t round = 0;
};

/// All simulations of a scenario.
struct Plan {
  std::vector<LaidOut> variants;
  /// By repetition. The seed can change the pairs, but not the rounds and groups.
  using Rounds = std::vector<std::vector<run::TrafficGroup>>;
  std::vector<Rounds> rounds;
  /// The key of `other_rounds`. Variants with the same family of pod traffic and the same TCP MTU
  /// probing share traffic.
  using Manner = std::pair<Family, std::optional<std::uint8_t>>;
  std::map<Manner, std::vector<Rounds>> other_rounds;
  std::vector<std::uint64_t> seeds;  ///< By repetition.
  run::RunOptions options;  ///< Options of all runs, except seed, watch, series and changes.
  std::optional<run::SeriesOptions> series;  ///< Series of first repetitions.
  /// Grouped by variant, then by repetition.
  std::vector<PlannedRun> runs;

  static Manner manner(const LaidOut& variant) { return {variant.family, variant.mtu_probing}; }
  const std::vector<run::TrafficGroup>& traffic(const PlannedRun& run) const {
    const auto other = other_rounds.find(manner(variants[run.variant]));
    return (other == other_rounds.end() ? rounds : other->second)[run.repetition][run.round];
  }
};

/// The options of the request that override those of the scenario.
struct RunOverrides {
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;
  std::uint32_t repetitions = 1;  ///< At least 1.
  std::int64_t max_events = INT64_MAX;
  bool fast = false;                         ///< run::RunOptions::fast
  std::optional<run::SeriesOptions> series;  ///< Series of first repetitions.
};

/// Returns the seed of each repetition. The first is `seed`; the others are derived from it and are
/// in the range of --seed.
std::vector<std::uint64_t> repetition_seeds(std::uint64_t seed, std::uint32_t repetitions);

Plan make_plan(const Prepared& prepared, const RunOverrides& overrides);

/// Returns the name of a round: "bulk", or the names of all its groups.
std::string name_of(const std::vector<run::TrafficGroup>& round);

/// Memory limits.
struct MemoryLimits {
  std::optional<Bytes> requested;  ///< The requested limit.
  std::optional<Bytes> available;  ///< Available memory of the machine, if known.
};

/// Returns the number of threads, at most `threads`, whose runs fit into the limits. Each thread
/// executes one run at a time. Fails with `memory-limit` and the estimate if a single run does not
/// fit; for the available memory of the machine, it fails only if the run certainly does not fit,
/// given the error of the estimate. Returns `threads` if there are no limits.
Result<std::uint32_t> threads_that_fit(const Plan& plan, std::uint32_t threads,
                                       const MemoryLimits& limits);

/// Estimated memory of the plan with this number of threads.
Bytes memory_of(const Plan& plan, std::uint32_t threads);

/// Estimated cost of a plan.
struct Forecast {
  std::size_t runs = 0;
  std::uint32_t threads = 1;
  double packets = 0;  ///< Packets of all runs.
  Bytes memory{};      ///< Peak memory of the program.
};

Forecast forecast(const Plan& plan, std::uint32_t threads);

/// Fails with `event-limit` if the datagrams of the warm-up alone exceed the event limit of a run,
/// because nothing would be measured then.
Result<void> check_events(const Plan& plan);

}  // namespace overlane::runner
