#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/model/run_report.h"
#include "scenarios/migration/inputs/load.h"
#include "scenarios/migration/operator_steps.h"
#include "scenarios/migration/outages/other_traffic.h"
#include "scenarios/migration/simulate.h"
#include "scenarios/migration/verdict/verdict.h"
#include "scenarios/runner/plan/parallel.h"

// One switch at one node count: every strategy is simulated with several seeds, and, where a fact
// is uncertain, with both of its values. The best strategy is then simulated at both ends of each
// duration's plausible range. assess() does this for every node count of a shoot.

namespace overlane::migration {

/// The smallest, the median and the largest value over the seeds.
struct Spread {
  Picos least;
  Picos median;
  Picos most;
};

/// The outages of one class of connections under a strategy, over the seeds.
struct ClassResult {
  PairClass which{};
  std::uint64_t connections = 0;
  std::uint64_t affected = 0;                           ///< At most, of all seeds.
  std::uint64_t lasting = 0;                            ///< At most.
  Spread longest;                                       ///< The longest outage of a run.
  std::vector<std::pair<Drop, std::uint64_t>> reasons;  ///< In the first run.
  std::optional<Drop> lasting_reason;                   ///< Why one that lasts does.
};

/// An uncertain parameter, and the longest outage at both ends of its range.
struct Sensitivity {
  model::Assumption assumption;
  Picos at_least;  ///< Longest outage with the lowest value; kNever: one is never over.
  Picos at_most;   ///< Longest outage with the highest value; kNever: one is never over.

  Picos effect() const { return at_most > at_least ? at_most - at_least : at_least - at_most; }
};

/// Results of one strategy.
struct StrategyResult {
  const Strategy* strategy = nullptr;  ///< One of Loaded::strategies.
  /// With the assumed value of every uncertain fact.
  MigrationVerdict verdict = MigrationVerdict::Go;
  /// Why the verdict is what it is: "upstream DNS may fail for 38.8 s".
  std::string reason;
  std::vector<ClassResult> classes;
  Spread duration;                           ///< Until the last component has acted.
  std::vector<TrafficResult> other_traffic;  ///< In the first run.
  std::vector<std::string> blockers;         ///< Why the switch does not complete.
  std::vector<std::string> unknowns;         ///< Hazards that may strike.
  std::vector<ImpactResult> impacts;
  std::vector<Condition> conditions;  ///< Facts that change the verdict, the worst first.
  /// Uncertain facts with two values, and the longest outage with each.
  std::vector<Sensitivity> facts;
  std::size_t manual_steps = 0;  ///< Steps that a person carries out.
  /// Ordered pairs of nodes whose pods do not reach each other before the switch begins; they are
  /// no outages of the switch.
  std::uint64_t unreachable_before = 0;
  Course course;  ///< Course of the first run.

  /// The verdict with the worst value of every uncertain fact.
  MigrationVerdict worst() const;
  /// The longest outage of any class and seed.
  Picos longest() const;
  std::uint64_t lasting() const;
};

/// From the change of the Shoot until the last component has acted.
struct MaintenanceWindow {
  Picos shortest;  ///< With the shortest plausible duration of every component.
  Picos usual;     ///< With the assumed durations.
  Picos longest;   ///< With the longest plausible ones.
};

struct Evaluation {
  std::vector<StrategyResult> strategies;  ///< In the order of Loaded::strategies.
  std::size_t recommended = 0;             ///< Which of them.
  /// Why the recommended strategy beats the next best: "upstream DNS may fail for 38.8 s instead of
  /// 129.3 s with routes-first"; empty: there is no other.
  std::string recommended_because;
  std::vector<Sensitivity> sensitivities;   ///< For the recommended strategy, largest effect first.
  std::vector<Leftover> leftovers;          ///< For the recommended strategy.
  std::optional<MaintenanceWindow> window;  ///< For the recommended strategy.

  const StrategyResult& best() const { return strategies[recommended]; }
};

/// Larger shoots are simulated with fewer seeds, as each takes seconds.
inline constexpr std::uint32_t kManyNodes = 250;

struct EvaluationOptions {
  std::uint64_t seed = 1;
  std::uint32_t threads = 0;  ///< 0: one per core. Does not change results.
  /// Whether to simulate the ends of durations' ranges: sensitivities and the maintenance window.
  bool vary_durations = true;
  /// Told how many runs of a batch are simulated: of the strategies, of other node counts, and of
  /// the ends of durations' ranges.
  runner::TasksDone progress = {};
};

/// Simulates all strategies of what was loaded. `loaded` must outlive the evaluation.
Evaluation evaluate(const Loaded& loaded, const EvaluationOptions& options);

/// Makes another of the evaluated strategies the recommended one, with its sensitivities, window
/// and leftovers.
void recommend(const Loaded& loaded, const std::string& strategy, const EvaluationOptions& options,
               Evaluation& evaluation);

/// Orders strategies: less than 0 if `a` is better than `b`, 0 if they are equal. By worst verdict,
/// outages of pods, all other traffic, availability, and steps by hand. `because` says, if not
/// null, in what the better one is better.
int compare(const StrategyResult& a, const StrategyResult& b, std::string* because = nullptr);

}  // namespace overlane::migration
