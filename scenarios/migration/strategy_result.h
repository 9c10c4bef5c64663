#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/model/run_report.h"
#include "scenarios/migration/inputs/strategy.h"
#include "scenarios/migration/outages/convergence.h"
#include "scenarios/migration/outages/other_traffic.h"
#include "scenarios/migration/outages/outages.h"
#include "scenarios/migration/simulate.h"
#include "scenarios/migration/verdict/verdict.h"

// The result of one strategy: its outages, verdict and reason with the assumed facts and
// durations, and the worst of them if assumptions do not hold. simulate_cases() (strategy_runs.h)
// makes the first part, assumptions.h adds the second.

namespace overlane::migration {

/// The smallest, the median and the largest value over the seeds.
struct Spread {
  Picos min;
  Picos median;
  Picos max;
};

/// The outages of one class of connections under a strategy, over the seeds.
struct ClassResult {
  PairClass which{};
  std::uint64_t connections = 0;
  std::uint64_t affected = 0;  ///< Maximum over the seeds: connections with any outage.
  /// Maximum over the seeds: connections with an outage that never ends.
  std::uint64_t lasting = 0;
  Spread longest;  ///< The longest outage of each run.
  /// Longest outage if assumptions do not hold, at least `longest`; kNever: one is never over.
  Picos longest_at_worst;
  std::vector<std::pair<Drop, std::uint64_t>> reasons;  ///< In the first run.
  std::optional<Drop> lasting_reason;                   ///< Reason of an outage that never ends.
};

/// Convergence over the seeds. Times are those of the seeds that have them.
struct ConvergenceResult {
  std::uint64_t routes = 0;       ///< In the first run.
  std::uint64_t interrupted = 0;  ///< Maximum over the seeds.
  std::uint64_t unconverged = 0;  ///< Maximum over the seeds.
  std::optional<Spread> first_route;
  std::optional<Spread> full;  ///< Empty if a route never converges, as is `blocked`.
  /// The smallest, the median (over the seeds, of the medians) and the largest of all routes.
  std::optional<Spread> route_loss;
  std::optional<Spread> blocked;
};

/// An uncertain parameter, and the longest outage at both ends of its range.
struct Sensitivity {
  model::Assumption assumption;
  Picos at_least;  ///< Longest outage with the lowest value; kNever: one is never over.
  Picos at_most;   ///< Longest outage with the highest value; kNever: one is never over.

  Picos effect() const { return at_most > at_least ? at_most - at_least : at_least - at_most; }
};

/// The result of a strategy when several assumptions do not hold at the same time.
struct WorstCase {
  MigrationVerdict verdict{};
  std::string reason;
  Picos longest;  ///< Longest outage; kNever: one is never over.
};

/// The duration of the switch, from the change of the Shoot until the last action of a component.
struct MaintenanceWindow {
  Picos shortest;  ///< With the shortest plausible duration of every component.
  Picos usual;     ///< With the assumed durations.
  Picos longest;   ///< With the longest plausible durations.
};

/// Results of one strategy.
struct StrategyResult {
  const Strategy* strategy = nullptr;  ///< One of Loaded::strategies.
  /// The verdict with the assumed value of every uncertain fact.
  MigrationVerdict verdict = MigrationVerdict::Go;
  /// The reason for `verdict`: "upstream DNS may fail for 38.8 s". worst_reason() is that of
  /// worst().
  std::string reason;
  std::vector<ClassResult> classes;
  ConvergenceResult convergence;
  Spread duration;  ///< From the change of the Shoot until the last action of a component.
  std::vector<TrafficResult> other_traffic;  ///< In the first run.
  std::vector<std::string> blockers;         ///< Reasons why the switch does not complete.
  std::vector<std::string> unknowns;         ///< Hazards that may occur, but are not certain.
  std::vector<ImpactResult> impacts;
  std::vector<Condition> conditions;  ///< Facts that change the verdict; the worst verdict first.
  /// The uncertain facts, and the durations if each is varied.
  std::vector<Sensitivity> sensitivities;
  bool is_each_duration_varied = false;  ///< Whether vary_each_duration() was called.
  /// With either value of an uncertain fact and other durations (assumptions.h); only if this is
  /// worse than what `conditions` say.
  std::optional<WorstCase> worst_case;
  std::optional<MaintenanceWindow> window;  ///< Empty unless durations are varied (assumptions.h).
  std::size_t manual_steps = 0;             ///< Steps that a person carries out by hand.
  /// Pairs of nodes whose pods do not reach each other before the switch begins. They do not count
  /// as outages of the switch.
  std::uint64_t unreachable_before = 0;
  SwitchResult course;  ///< SwitchResult of the first run.

  /// The verdict if assumptions do not hold.
  MigrationVerdict worst() const;
  const std::string& worst_reason() const;
  /// The condition with the worst verdict if it does not hold; null if `verdict` is the worst.
  const Condition* worst_condition() const;
  /// The worst case if it has a worse verdict than any single condition; else null.
  const WorstCase* several_assumptions() const;
  /// The longest outage that ends, over all classes and seeds.
  Picos longest() const;
  /// The longest outage over all classes and seeds; kNever: one is never over.
  Picos longest_or_never() const;
  /// The longest outage if assumptions do not hold; kNever: one is never over.
  Picos worst_longest() const;
  /// The longest outage that `verdict` accepts, by `--max-outage`; 0: none.
  Picos accepted_outage() const;
  std::uint64_t lasting() const;
};

/// Text of an impact on traffic: "upstream DNS may fail for 38.8 s, at worst 2 min 54 s".
std::string impact_text(const TrafficResult& of);

/// Text of StrategyResult::reason. Requires the verdict and all of its causes.
std::string reason_of(const StrategyResult& result);

/// Orders strategies by worst verdict, outages of pods as assumed and at worst, outages of other
/// traffic, availability, and number of steps by hand, in this order. Returns less than 0 if `a` is
/// better than `b`, and 0 if they are equal. Writes the decisive difference to `because` unless it
/// is null.
int compare(const StrategyResult& a, const StrategyResult& b, std::string* because = nullptr);

}  // namespace overlane::migration
