#include "scenarios/migration/evaluate.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "scenarios/migration/assumptions.h"

namespace overlane::migration {
namespace {

std::size_t best_of(const std::vector<StrategyResult>& results) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < results.size(); ++i)
    if (compare(results[i], results[best]) < 0) best = i;
  return best;
}

/// Why the recommended strategy beats the next best one.
std::string advantage(const Evaluation& evaluation) {
  const StrategyResult& best = evaluation.best();
  const StrategyResult* next = nullptr;
  for (const StrategyResult& other : evaluation.strategies)
    if (&other != &best && (next == nullptr || compare(other, *next) < 0)) next = &other;
  if (next == nullptr) return "";
  std::string because;
  if (compare(best, *next, &because) == 0)
    return fmt::format("equal to {}, and first in the list", next->strategy->name);
  return fmt::format("{}; next best: {}", because, next->strategy->name);
}

}  // namespace

Evaluation evaluate_strategies(const Loaded& loaded, const EvaluationOptions& options) {
  std::vector<SimulationCase> cases;
  for (const Strategy& strategy : loaded.strategies)
    cases.push_back({&loaded, &strategy, loaded.timing, loaded.runs, true});
  Evaluation evaluation{.strategies = simulate_cases(cases, options)};
  const std::vector<UncertainFact> facts = uncertain_facts(loaded);
  vary_facts(loaded, facts, options, evaluation.strategies);
  if (options.vary_durations) {
    vary_durations(loaded, facts, options, evaluation.strategies);
    if (has_few_nodes(loaded)) vary_each_duration(loaded, options, evaluation.strategies);
  }
  return evaluation;
}

Evaluation evaluate(const Loaded& loaded, const EvaluationOptions& options) {
  Evaluation evaluation = evaluate_strategies(loaded, options);
  std::vector<StrategyResult>& strategies = evaluation.strategies;
  // Other durations may make another strategy the best one.
  std::size_t best = best_of(strategies);
  while (options.vary_durations && !strategies[best].is_each_duration_varied) {
    vary_each_duration(loaded, options, {&strategies[best], 1});
    best = best_of(strategies);
  }
  recommend(loaded, strategies[best].strategy->name, evaluation);
  return evaluation;
}

void recommend(const Loaded& loaded, const std::string& strategy, Evaluation& evaluation) {
  const auto best = std::ranges::find_if(evaluation.strategies, [&](const StrategyResult& one) {
    return one.strategy->name == strategy;
  });
  evaluation.recommended = static_cast<std::size_t>(best - evaluation.strategies.begin());
  evaluation.recommended_because = advantage(evaluation);
  std::ranges::stable_sort(best->sensitivities, std::greater(), &Sensitivity::effect);
  evaluation.leftovers =
      leftovers(loaded.goes_back() ? loaded.transition.reversed() : loaded.transition, best->course,
                loaded.goes_back());
}

}  // namespace overlane::migration
