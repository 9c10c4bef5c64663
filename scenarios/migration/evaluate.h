#pragma once

#include <string>
#include <vector>

#include "scenarios/migration/inputs/load.h"
#include "scenarios/migration/operator_steps.h"
#include "scenarios/migration/strategy_result.h"
#include "scenarios/migration/strategy_runs.h"

// The evaluation of one switch at one node count: the results of all strategies, also if
// assumptions do not hold, and the recommended strategy with the facts that decide about it.
// assess() evaluates every node count of a shoot.

namespace overlane::migration {

struct Evaluation {
  std::vector<StrategyResult> strategies;  ///< In the order of Loaded::strategies.
  std::size_t recommended = 0;             ///< Index in `strategies`.
  /// Why the recommended strategy beats the next best: "upstream DNS may fail for 38.8 s instead of
  /// 129.3 s with routes-first"; empty if there is no other strategy.
  std::string recommended_because;
  std::vector<Leftover> leftovers;  ///< For the recommended strategy.

  const StrategyResult& best() const { return strategies[recommended]; }
};

/// Simulates all strategies of `loaded`, which must outlive the evaluation, and recommends the best
/// one.
Evaluation evaluate(const Loaded& loaded, const EvaluationOptions& options);

/// The strategies of evaluate(), without a recommendation.
Evaluation evaluate_strategies(const Loaded& loaded, const EvaluationOptions& options);

/// Makes `strategy`, which was evaluated, the recommended one: sets the members that concern it,
/// and sorts its sensitivities, largest effect first.
void recommend(const Loaded& loaded, const std::string& strategy, Evaluation& evaluation);

}  // namespace overlane::migration
