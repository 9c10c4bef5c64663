#include "scenarios/migration/assess.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "results/finding/counted.h"

namespace overlane::migration {
namespace {

/// Runs of each strategy above kManyNodes, unless the request says how many.
constexpr std::uint32_t kRunsOfManyNodes = 3;

/// The largest node count of the worker pools, and whether it can be simulated.
struct LargestCount {
  std::uint32_t simulated = 0;
  std::uint64_t beyond = 0;  ///< The pools' maximum where that is larger; else 0.
};

LargestCount largest_count(const effective::EffectiveDataplane& shoot) {
  std::int64_t maximum = 0;
  for (const auto& pool : shoot.workers)
    maximum += std::max<std::int64_t>(pool.maximum, pool.minimum);
  const std::int64_t possible =
      std::min<std::int64_t>(shoot.max_nodes.value_or(kMaxSimulatedNodes), kMaxSimulatedNodes);
  return {.simulated = static_cast<std::uint32_t>(std::clamp<std::int64_t>(maximum, 0, possible)),
          .beyond = static_cast<std::uint64_t>(maximum > possible ? maximum : 0)};
}

/// Loads the switch at a node count, or at the one that the input asks for.
runner::Outcome<std::unique_ptr<Loaded>> load_at(LoadRequest request,
                                                 std::optional<std::uint32_t> nodes) {
  if (nodes) request.subject.nodes = nodes;
  auto loaded = load(request);
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

const StrategyResult& result_named(const CountedSwitch& at, const std::string& name) {
  return *std::ranges::find_if(at.evaluation.strategies, [&](const StrategyResult& one) {
    return one.strategy->name == name;
  });
}

CountVerdict verdict_of(std::uint32_t nodes, const StrategyResult& result) {
  return {nodes, result.worst(), result.reason};
}

/// The strategy that is best at its worst count.
std::string best_strategy(const CountedSwitch& smallest, const CountedSwitch& largest) {
  const auto worse_of = [&](const std::string& name) -> const StrategyResult& {
    const StrategyResult& small = result_named(smallest, name);
    const StrategyResult& large = result_named(largest, name);
    return small.worst() > large.worst() ? small : large;
  };
  std::string best;
  for (const StrategyResult& result : largest.evaluation.strategies) {
    const std::string& name = result.strategy->name;
    if (best.empty() || compare(worse_of(name), worse_of(best)) < 0) best = name;
  }
  return best;
}

/// Finds the first count above `good` with a verdict worse than there; at `bad` it is.
runner::Outcome<CountVerdict> first_worse(const LoadRequest& request,
                                          const EvaluationOptions& options,
                                          const std::string& strategy, CountVerdict good,
                                          CountVerdict bad) {
  LoadRequest one = request;
  EvaluationOptions quick = options;
  quick.vary_durations = false;
  while (bad.nodes - good.nodes > 1) {
    const std::uint32_t middle = good.nodes + (bad.nodes - good.nodes) / 2;
    auto loaded = load_at(one, middle);
    if (!loaded) return fail(std::move(loaded.error()));
    std::erase_if((*loaded)->strategies,
                  [&](const Strategy& other) { return other.name != strategy; });
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
  std::string text =
      fmt::format("{} if {}; {} otherwise: check with {}", to_string(condition.if_so),
                  condition.holds, to_string(condition.otherwise), condition.check);
  if (result.verdict == Verdict::GoWithImpact || result.verdict == Verdict::Outage)
    text += fmt::format("; {}", result.reason);
  return text;
}

}  // namespace

std::string Assessment::headline() const {
  std::string text = verdict_text(best());
  const CountVerdict& smallest = counts.front();
  if (worse_from) {
    const CountVerdict& worse = *worse_from;
    const std::string before =
        fmt::format("{} up to {}; from {} on ", to_string(smallest.verdict),
                    counted(worse.nodes - 1, "node"), counted(worse.nodes, "node"));
    text = worse.verdict == verdict()
               ? before + text
               : fmt::format("{}{}, with {} {}", before, to_string(worse.verdict),
                             counted(decisive.nodes, "node"), text);
  } else if (smallest.verdict > counts.back().verdict) {
    text = fmt::format("with {} {}", counted(smallest.nodes, "node"), text);
  }
  if (not_simulated_up_to > 0)
    text += fmt::format("; simulated up to {}, of {}", counted(counts.back().nodes, "node"),
                        not_simulated_up_to);
  return text;
}

runner::Outcome<Assessment> assess(const LoadRequest& request, const EvaluationOptions& options) {
  auto first = load_at(request, std::nullopt);
  if (!first) return fail(std::move(first.error()));
  const LargestCount largest = largest_count((*first)->transition.before);
  const std::uint32_t nodes = (*first)->transition.nodes_at_start();
  const bool is_only_count = (*first)->nodes_are_given || largest.simulated <= nodes;
  Assessment assessment;
  if (is_only_count) {
    assessment.decisive = evaluate_at(*std::move(first), options);
    assessment.counts.push_back(verdict_of(nodes, assessment.best()));
    return assessment;
  }
  assessment.not_simulated_up_to = largest.beyond;
  EvaluationOptions quick = options;
  quick.vary_durations = false;
  CountedSwitch small = evaluate_at(*std::move(first), quick);
  auto second = load_at(request, largest.simulated);
  if (!second) return fail(std::move(second.error()));
  CountedSwitch large = evaluate_at(*std::move(second), quick);
  const std::string best = best_strategy(small, large);
  const CountVerdict at_small = verdict_of(small.nodes, result_named(small, best));
  const CountVerdict at_large = verdict_of(large.nodes, result_named(large, best));
  assessment.counts = {at_small, at_large};
  if (at_large.verdict > at_small.verdict) {
    auto worse = first_worse(request, options, best, at_small, at_large);
    if (!worse) return fail(std::move(worse.error()));
    assessment.worse_from = *std::move(worse);
  }
  assessment.decisive = at_small.verdict > at_large.verdict ? std::move(small) : std::move(large);
  recommend(*assessment.decisive.loaded, best, options, assessment.decisive.evaluation);
  return assessment;
}

}  // namespace overlane::migration
