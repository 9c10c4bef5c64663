#include "scenarios/migration/assess.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "results/base/text.h"

namespace overlane::migration {
namespace {

/// Runs of each strategy above kManyNodes, unless the request says how many.
constexpr std::uint32_t kRunsOfManyNodes = 3;

/// The largest node count of the worker pools, and whether it can be simulated.
struct LargestCount {
  std::uint32_t simulated = 0;
  std::uint64_t beyond = 0;  ///< The pools' maximum where that is larger; else 0.
};

/// The largest number of nodes that can be simulated and that get pod CIDRs.
std::int64_t possible_nodes(const effective::EffectiveDataplane& shoot) {
  return std::min<std::int64_t>(shoot.max_nodes.value_or(kMaxSimulatedNodes), kMaxSimulatedNodes);
}

LargestCount largest_count(const effective::EffectiveDataplane& shoot) {
  std::int64_t maximum = 0;
  for (const auto& pool : shoot.workers)
    maximum += std::max<std::int64_t>(pool.maximum, pool.minimum);
  const std::int64_t possible = possible_nodes(shoot);
  return {.simulated = static_cast<std::uint32_t>(std::clamp<std::int64_t>(maximum, 0, possible)),
          .beyond = static_cast<std::uint64_t>(maximum > possible ? maximum : 0)};
}

/// The switch at a node count.
runner::Outcome<std::unique_ptr<Loaded>> place_at(const DerivedSwitch& derived,
                                                  const LoadRequest& request, std::uint32_t nodes) {
  auto loaded = place_switch(derived, nodes);
  if (!loaded) return fail(std::move(loaded.error()));
  if (!request.runs && loaded->transition.nodes() > kManyNodes)
    loaded->runs = std::min(loaded->runs, kRunsOfManyNodes);
  return std::make_unique<Loaded>(*std::move(loaded));
}

CountedSwitch evaluate_at(std::unique_ptr<Loaded> loaded, const EvaluationOptions& options) {
  CountedSwitch result{.nodes = loaded->transition.nodes_at_start()};
  result.evaluation = evaluate(*loaded, options);
  result.loaded = std::move(loaded);
  return result;
}

/// Has the switch evaluated with the same strategies at every count: those that make sense at any
/// of them, since only some nodes may be without their cloud routes beforehand (a quota).
void share_strategies(std::vector<std::unique_ptr<Loaded>>& counts) {
  std::vector<Strategy> all;
  for (const auto& loaded : counts)
    for (const Strategy& strategy : loaded->strategies)
      if (std::ranges::find(all, strategy.name, &Strategy::name) == all.end())
        all.push_back(strategy);
  const auto position = [](const Strategy& strategy) {
    return std::ranges::find(strategies(), strategy.name, &Strategy::name) - strategies().begin();
  };
  std::ranges::stable_sort(all, {}, position);
  for (const auto& loaded : counts)
    loaded->strategies = all;
}

const StrategyResult& result_named(const CountedSwitch& at, const std::string& name) {
  return *std::ranges::find_if(at.evaluation.strategies, [&](const StrategyResult& one) {
    return one.strategy->name == name;
  });
}

CountVerdict verdict_of(std::uint32_t nodes, const StrategyResult& result) {
  return {nodes, result.worst(), result.reason};
}

/// The strategy that is best at its worst count (the largest of equals).
std::string best_strategy(const std::vector<CountedSwitch>& switches) {
  const auto worst_of = [&](const std::string& name) -> const StrategyResult& {
    const StrategyResult* worst = &result_named(switches.front(), name);
    for (const CountedSwitch& at : switches)
      if (const StrategyResult& one = result_named(at, name); one.worst() >= worst->worst())
        worst = &one;
    return *worst;
  };
  std::string best;
  for (const StrategyResult& result : switches.back().evaluation.strategies) {
    const std::string& name = result.strategy->name;
    if (best.empty() || compare(worst_of(name), worst_of(best)) < 0) best = name;
  }
  return best;
}

/// Finds the first count above `good` with a verdict worse than there; at `bad` it is.
runner::Outcome<CountVerdict> first_worse(const DerivedSwitch& derived, const LoadRequest& request,
                                          const EvaluationOptions& quick, const Strategy& strategy,
                                          CountVerdict good, CountVerdict bad) {
  while (bad.nodes - good.nodes > 1) {
    const std::uint32_t middle = good.nodes + (bad.nodes - good.nodes) / 2;
    auto loaded = place_at(derived, request, middle);
    if (!loaded) return fail(std::move(loaded.error()));
    (*loaded)->strategies = {strategy};
    const CountedSwitch at = evaluate_at(*std::move(loaded), quick);
    const CountVerdict verdict = verdict_of(middle, at.evaluation.best());
    (verdict.verdict > good.verdict ? bad : good) = verdict;
  }
  return bad;
}

/// "go if the network does not use OVN; no-go otherwise: check with `…`", or "go: the reason".
std::string verdict_text(const StrategyResult& result) {
  if (result.conditions.empty() || result.worst() == result.verdict)
    return fmt::format("{}: {}", to_string(result.verdict), result.reason);
  const Condition& condition = result.conditions.front();
  const std::size_t more = result.conditions.size() - 1;
  std::string text = fmt::format(
      "{} if {}{}; {} otherwise: check with {}", to_string(condition.if_so), condition.holds,
      more == 0 ? "" : fmt::format(", and {}", counted(more, "more condition")),
      to_string(condition.otherwise), condition.check);
  if (result.verdict == MigrationVerdict::GoWithImpact ||
      result.verdict == MigrationVerdict::Outage)
    text += fmt::format("; {}", result.reason);
  return text;
}

}  // namespace

std::string Assessment::headline() const {
  std::string text = verdict_text(best());
  const CountVerdict& smallest = counts.front();
  if (!worse_from.empty()) {
    std::string before = fmt::format("{} up to {}", to_string(smallest.verdict),
                                     counted(worse_from.front().nodes - 1, "node"));
    for (const CountVerdict& worse : worse_from)
      before +=
          fmt::format("; from {} on {}", counted(worse.nodes, "node"),
                      &worse == &worse_from.back() ? text : std::string(to_string(worse.verdict)));
    text = std::move(before);
  } else if (decisive.nodes != counts.back().nodes) {
    text = fmt::format("with {} {}", counted(decisive.nodes, "node"), text);
  }
  if (not_simulated_up_to > 0)
    text += fmt::format("; simulated up to {}, of {}", counted(counts.back().nodes, "node"),
                        not_simulated_up_to);
  return text;
}

runner::Outcome<Assessment> assess(const LoadRequest& request, const EvaluationOptions& options) {
  const auto derived = derive_switch(request);
  if (!derived) return fail(derived.error());
  const std::uint32_t nodes = derived->nodes();
  auto first = place_at(*derived, request, nodes);
  if (!first) return fail(std::move(first.error()));
  const LargestCount largest = largest_count((*first)->transition.before);
  Assessment assessment;
  std::set<std::uint32_t> counts{nodes};
  if (!(*first)->nodes_are_given) {
    counts.insert(std::max(nodes, largest.simulated));
    const std::uint32_t given = (*first)->neighbours.given_nodes;
    if (given > 1 && given <= possible_nodes((*first)->transition.before)) counts.insert(given);
  }
  if (counts.size() == 1) {
    assessment.decisive = evaluate_at(*std::move(first), options);
    assessment.counts.push_back(verdict_of(nodes, assessment.best()));
    return assessment;
  }
  assessment.not_simulated_up_to = largest.beyond;
  EvaluationOptions quick = options;
  quick.vary_durations = false;
  std::vector<CountedSwitch> switches;
  std::vector<std::unique_ptr<Loaded>> loaded_counts;
  for (const std::uint32_t count : counts) {
    auto loaded = count == nodes ? std::move(first) : place_at(*derived, request, count);
    if (!loaded) return fail(std::move(loaded.error()));
    loaded_counts.push_back(*std::move(loaded));
  }
  share_strategies(loaded_counts);
  for (std::unique_ptr<Loaded>& loaded : loaded_counts)
    switches.push_back(evaluate_at(std::move(loaded), quick));
  const std::string best = best_strategy(switches);
  for (const CountedSwitch& at : switches)
    assessment.counts.push_back(verdict_of(at.nodes, result_named(at, best)));
  const std::vector<CountVerdict>& verdicts = assessment.counts;
  const Strategy& strategy = *result_named(switches.front(), best).strategy;
  CountVerdict good = verdicts.front();
  for (const CountVerdict& at : verdicts) {
    while (at.verdict > good.verdict) {
      auto worse = first_worse(*derived, request, quick, strategy, good, at);
      if (!worse) return fail(std::move(worse.error()));
      good = *worse;
      assessment.worse_from.push_back(*std::move(worse));
    }
    good.nodes = at.nodes;
  }
  std::size_t decisive = 0;
  for (std::size_t i = 0; i < verdicts.size(); ++i)
    if (verdicts[i].verdict >= verdicts[decisive].verdict) decisive = i;
  assessment.decisive = std::move(switches[decisive]);
  recommend(*assessment.decisive.loaded, best, options, assessment.decisive.evaluation);
  return assessment;
}

}  // namespace overlane::migration
