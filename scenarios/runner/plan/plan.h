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
// packets, by which the number of threads is limited.

/// One simulation: a variant, a repetition, and the traffic groups sent at the same time.
struct PlannedRun {
  std::size_t variant = 0;
  std::size_t repetition = 0;
  std::size_t round = 0;
};

/// All simulations of a scenario.
struct Plan {
  std::vector<LaidOut> variants;
  /// By repetition: the seed can change the pairs, but not rounds and groups.
  using Rounds = std::vector<std::vector<run::TrafficGroup>>;
  std::vector<Rounds> rounds;
  /// Variants with the same family of pod traffic and the same TCP MTU probing share traffic.
  using Manner = std::pair<Family, std::optional<std::uint8_t>>;
  std::map<Manner, std::vector<Rounds>> other_rounds;
  std::vector<std::uint64_t> seeds;  ///< By repetition.
  run::RunOptions options;  ///< Common to all runs, except seed, watch, series and changes.
  std::optional<run::SeriesOptions> series;  ///< Series of first repetitions.
  /// Grouped by variant, then by repetition.
  std::vector<PlannedRun> runs;

  static Manner manner(const LaidOut& variant) { return {variant.family, variant.mtu_probing}; }
  const std::vector<run::TrafficGroup>& traffic(const PlannedRun& run) const {
    const auto other = other_rounds.find(manner(variants[run.variant]));
    return (other == other_rounds.end() ? rounds : other->second)[run.repetition][run.round];
  }
};

/// The request's overrides of the scenario's course.
struct Course {
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;
  std::uint32_t repetitions = 1;  ///< At least 1.
  std::int64_t max_events = INT64_MAX;
  std::optional<run::SeriesOptions> series;  ///< Series of first repetitions.
};

/// The seed of each run: the first is `seed`, the others are derived from it and within the range
/// of --seed.
std::vector<std::uint64_t> repetition_seeds(std::uint64_t seed, std::uint32_t repetitions);

Plan make_plan(const Prepared& prepared, const Course& course);

/// The name of a round: "bulk", or the names of all its groups.
std::string name_of(const std::vector<run::TrafficGroup>& round);

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
