#include "scenarios/migration/assess.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/text.h"
#include "results/finding/finding.h"
#include "results/model/run_report_json.h"
#include "scenarios/migration/assumptions.h"
#include "scenarios/migration/operator_steps.h"
#include "scenarios/migration/outages/outages.h"

namespace overlane::migration {
namespace {

/// Number of runs of each strategy above kManyNodes, unless the request gives one.
constexpr std::uint32_t kRunsOfManyNodes = 3;

/// The largest node count of the worker pools, as far as it can be simulated.
struct LargestCount {
  std::uint32_t simulated = 0;
  std::uint64_t beyond = 0;  ///< The maximum of the pools if it is larger than `simulated`; else 0.
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

/// Places the switch at a node count.
runner::Outcome<std::unique_ptr<Loaded>> place_at(const DerivedSwitch& derived,
                                                  const LoadRequest& request, std::uint32_t nodes) {
  auto loaded = place_switch(derived, nodes);
  if (!loaded) return fail(std::move(loaded.error()));
  if (!request.runs && has_many_nodes(*loaded))
    loaded->runs = std::min(loaded->runs, kRunsOfManyNodes);
  return std::make_unique<Loaded>(*std::move(loaded));
}

CountedSwitch evaluate_at(std::unique_ptr<Loaded> loaded, const EvaluationOptions& options) {
  CountedSwitch result{.nodes = loaded->transition.nodes_at_start()};
  result.evaluation = evaluate_strategies(*loaded, options);
  result.loaded = std::move(loaded);
  return result;
}

/// Gives all counts the same strategies: those that make sense at any count. The counts can differ,
/// because with a route quota only some nodes lack their cloud routes before the switch.
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

/// The result of a strategy at a count, with the constness of `at`.
auto& result_named(auto& at, const std::string& name) {
  return *std::ranges::find_if(at.evaluation.strategies, [&](const StrategyResult& one) {
    return one.strategy->name == name;
  });
}

CountVerdict verdict_of(std::uint32_t nodes, const StrategyResult& result) {
  return {nodes, result.worst(), result.worst_reason()};
}

/// The worst verdict with the assumed durations.
CountVerdict verdict_by_facts(std::uint32_t nodes, const StrategyResult& result) {
  CountVerdict worst{nodes, result.verdict, result.reason};
  for (const Condition& one : result.conditions) {
    const bool is_duration =
        std::ranges::find(timing_facts(), one.parameter, &TimingFact::name) != timing_facts().end();
    if (!is_duration && one.otherwise > worst.verdict)
      worst = {nodes, one.otherwise, one.otherwise_reason};
  }
  return worst;
}

/// The count at which the strategy has its worst verdict (the largest of equal counts).
auto& decisive_for(const std::string& strategy, auto& switches) {
  auto* decisive = &switches.front();
  for (auto& at : switches)
    if (result_named(at, strategy).worst() >= result_named(*decisive, strategy).worst())
      decisive = &at;
  return *decisive;
}

/// The name of the strategy that is best at its worst count.
std::string best_strategy(const std::vector<CountedSwitch>& switches) {
  const auto worst_of = [&](const std::string& name) -> const StrategyResult& {
    return result_named(decisive_for(name, switches), name);
  };
  std::string best;
  for (const StrategyResult& result : switches.back().evaluation.strategies) {
    const std::string& name = result.strategy->name;
    if (best.empty() || compare(worst_of(name), worst_of(best)) < 0) best = name;
  }
  return best;
}

/// Finds the first count above `good` with a worse verdict than at `good`, both with the assumed
/// durations. The verdict at `bad` is worse.
runner::Outcome<CountVerdict> first_worse(const DerivedSwitch& derived, const LoadRequest& request,
                                          EvaluationOptions options, const Strategy& strategy,
                                          CountVerdict good, CountVerdict bad) {
  options.vary_durations = false;
  while (bad.nodes - good.nodes > 1) {
    const std::uint32_t middle = good.nodes + (bad.nodes - good.nodes) / 2;
    auto loaded = place_at(derived, request, middle);
    if (!loaded) return fail(std::move(loaded.error()));
    (*loaded)->strategies = {strategy};
    const CountedSwitch at = evaluate_at(*std::move(loaded), options);
    const CountVerdict verdict = verdict_by_facts(middle, at.evaluation.best());
    (verdict.verdict > good.verdict ? bad : good) = verdict;
  }
  return bad;
}

/// The longest impact that is not accepted and that occurs only if assumptions do not hold; null if
/// there is none.
const ImpactResult* longest_at_worst_only(const StrategyResult& result) {
  const ImpactResult* found = nullptr;
  Picos longest;
  for (const ImpactResult& one : result.impacts) {
    if (!one.is_at_worst_only || one.accepted) continue;
    const auto traffic = std::ranges::find(result.other_traffic, one.traffic, &TrafficResult::name);
    if (found != nullptr && traffic->longest_at_worst <= longest) continue;
    found = &one;
    longest = traffic->longest_at_worst;
  }
  return found;
}

/// "no-go: the reason, unless the network does not use OVN (then go: the reason); check with `…`",
/// or "go: the reason".
std::string verdict_text(const StrategyResult& result) {
  const std::string text = fmt::format("{}: {}", to_string(result.worst()), result.worst_reason());
  const std::string as_assumed = fmt::format("{}: {}", to_string(result.verdict), result.reason);
  const Picos worst = result.worst_longest();
  const Condition* condition = result.worst_condition();
  if (result.several_assumptions() != nullptr)
    return fmt::format("{}, if several assumptions do not hold (as assumed {})", text, as_assumed);
  const Picos stated = condition == nullptr ? result.longest() : condition->otherwise_longest;
  const bool may_last_longer =
      result.worst() == MigrationVerdict::Outage && worst > stated && worst != kNever;
  const std::string longer =
      may_last_longer ? fmt::format(", or {} if {}assumptions do not hold", outage_text(worst),
                                    condition == nullptr ? "" : "more ")
                      : "";
  if (condition == nullptr && result.worst() == MigrationVerdict::GoWithImpact)
    if (const ImpactResult* untold = longest_at_worst_only(result))
      return fmt::format("{}; {}", text, untold->what);
  if (condition == nullptr) return text + longer;
  const std::size_t more = result.conditions.size() - 1;
  return fmt::format("{}{}, unless {}{} (then {}); check with {}", text, longer, condition->holds,
                     more == 0 ? ""
                               : fmt::format(" and {} hold{}", counted(more, "more condition"),
                                             more == 1 ? "s" : ""),
                     as_assumed, condition->check);
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
    assessment.decisive.nodes = (*first)->transition.nodes_at_start();
    assessment.decisive.evaluation = evaluate(**first, options);
    assessment.decisive.loaded = *std::move(first);
    assessment.counts.push_back(verdict_of(nodes, assessment.best()));
    return assessment;
  }
  assessment.not_simulated_up_to = largest.beyond;
  std::vector<std::unique_ptr<Loaded>> loaded_counts;
  for (const std::uint32_t count : counts) {
    auto loaded = count == nodes ? std::move(first) : place_at(*derived, request, count);
    if (!loaded) return fail(std::move(loaded.error()));
    loaded_counts.push_back(*std::move(loaded));
  }
  share_strategies(loaded_counts);
  std::vector<CountedSwitch> switches;
  for (std::unique_ptr<Loaded>& loaded : loaded_counts)
    switches.push_back(evaluate_at(std::move(loaded), options));
  std::string best = best_strategy(switches);
  CountedSwitch* decisive = &decisive_for(best, switches);
  // Other durations may make another strategy the best one, or another count the decisive one.
  while (options.vary_durations && !result_named(*decisive, best).is_each_duration_varied) {
    vary_each_duration(*decisive->loaded, options, {&result_named(*decisive, best), 1});
    best = best_strategy(switches);
    decisive = &decisive_for(best, switches);
  }

  const Strategy& strategy = *result_named(switches.front(), best).strategy;
  CountVerdict good =
      verdict_by_facts(switches.front().nodes, result_named(switches.front(), best));
  for (const CountedSwitch& at : switches) {
    const CountVerdict verdict = verdict_by_facts(at.nodes, result_named(at, best));
    while (verdict.verdict > good.verdict) {
      auto worse = first_worse(*derived, request, options, strategy, good, verdict);
      if (!worse) return fail(std::move(worse.error()));
      good = *worse;
      assessment.worse_from.push_back(*std::move(worse));
    }
    good.nodes = at.nodes;
  }
  recommend(*decisive->loaded, best, decisive->evaluation);
  for (const CountedSwitch& at : switches)
    assessment.counts.push_back(verdict_of(at.nodes, result_named(at, best)));
  std::erase_if(assessment.worse_from, [&](const CountVerdict& worse) {
    return worse.verdict <= assessment.counts.front().verdict;
  });
  assessment.decisive = std::move(*decisive);
  return assessment;
}

namespace {

using Json = nlohmann::ordered_json;

Json encode(Picos time) {
  return time.whole_nanoseconds();
}

/// A longest outage; null if one is never over.
Json encode_longest(Picos longest) {
  return longest == kNever ? Json() : encode(longest);
}

Json encode(const Spread& spread) {
  return {{"least", encode(spread.min)},
          {"median", encode(spread.median)},
          {"most", encode(spread.max)}};
}

Json encode(const std::optional<Spread>& spread) {
  return spread ? encode(*spread) : Json();
}

/// In the terms of RFC 6412 and FD.io CSIT (docs/reference/migrate.md).
Json encode(const ConvergenceResult& of) {
  return {{"routes", of.routes},
          {"interrupted_routes", of.interrupted},
          {"unconverged_routes", of.unconverged},
          {"first_route_convergence_time_ns", encode(of.first_route)},
          {"full_convergence_time_ns", encode(of.full)},
          {"route_loss_of_connectivity_period_ns", encode(of.route_loss)},
          {"loss_derived_loss_of_connectivity_period_ns", encode(of.blocked)},
          {"effective_blocked_time_ns", encode(of.blocked)}};
}

/// Encodes the fields of a dataplane that a migration changes or that its steps depend on.
Json encode_end(const effective::Dataplane& dataplane) {
  const Json fields = encode(dataplane);
  Json json;
  for (const char* name : {"mode", "encapsulation", "backend", "routes_by", "pod_mtu"})
    json[name] = fields.at(name);
  return json;
}

Json encode(const ClassResult& of) {
  const std::optional<Picos> stall = of.lasting > 0 ? std::nullopt : tcp_stall(of.longest.max);
  Json reasons = Json::object();
  for (const auto& [reason, count] : of.reasons)
    reasons[std::string(to_string(reason))] = count;
  return {{"connections_between_nodes", to_string(of.which)},
          {"connections", of.connections},
          {"affected", of.affected},
          {"lasting", of.lasting},
          {"longest_outage_ns", encode(of.longest)},
          {"longest_outage_at_worst_ns", encode_longest(of.longest_at_worst)},
          {"tcp_stall_ns", stall ? encode(*stall) : Json()},
          {"drop_reasons", std::move(reasons)},
          {"lasting_reason", of.lasting_reason ? Json(to_string(*of.lasting_reason)) : Json()}};
}

Json encode(const TrafficResult& of) {
  return {{"name", of.name},
          {"meaning", of.meaning},
          {"possible_only", of.is_possible_only},
          {"unit", of.unit},
          {"pairs", of.pairs},
          {"affected", of.affected},
          {"lasting", of.lasting},
          {"longest_outage_ns", encode(of.longest)},
          {"longest_outage_at_worst_ns", encode_longest(of.longest_at_worst)},
          {"established_connections_end", of.ends}};
}

Json encode(const std::vector<ImpactResult>& impacts) {
  Json list = Json::array();
  for (const ImpactResult& one : impacts)
    list.push_back({{"impact", facts(one.impact).name},
                    {"what", one.what},
                    {"accepted", one.accepted},
                    {"accepted_at_worst", one.accepted_at_worst},
                    {"at_worst_only", one.is_at_worst_only}});
  return list;
}

Json encode(const std::vector<Condition>& conditions) {
  Json list = Json::array();
  for (const Condition& one : conditions)
    list.push_back({{"parameter", one.parameter},
                    {"if", one.holds},
                    {"verdict", to_string(one.if_so)},
                    {"otherwise", to_string(one.otherwise)},
                    {"otherwise_reason", one.otherwise_reason},
                    {"otherwise_longest_outage_ns", encode_longest(one.otherwise_longest)},
                    {"check", one.command},
                    {"reading", one.reading},
                    {"set", one.setting},
                    {"set_otherwise", one.setting_otherwise}});
  return list;
}

Json encode(const std::optional<WorstCase>& worst) {
  if (!worst) return nullptr;
  return {{"verdict", to_string(worst->verdict)},
          {"reason", worst->reason},
          {"longest_outage_ns", encode_longest(worst->longest)}};
}

Json encode(const std::optional<MaintenanceWindow>& window) {
  if (!window) return nullptr;
  return {{"shortest", encode(window->shortest)},
          {"usual", encode(window->usual)},
          {"longest", encode(window->longest)}};
}

Json encode(const CountVerdict& count) {
  return {{"nodes", count.nodes}, {"verdict", to_string(count.verdict)}, {"reason", count.reason}};
}

Json encode(const std::vector<OperatorStep>& steps) {
  Json list = Json::array();
  for (const OperatorStep& step : steps)
    list.push_back({{"place", to_string(step.place)},
                    {"action", step.action},
                    {"commands", step.commands},
                    {"wait_for", step.wait_for},
                    {"wait_commands", step.wait_commands},
                    {"caution", step.caution},
                    {"undo", step.undo},
                    {"undo_commands", step.undo_commands}});
  return list;
}

Json encode(const StrategyResult& result) {
  Json classes = Json::array();
  for (const ClassResult& of : result.classes)
    classes.push_back(encode(of));
  Json other_traffic = Json::array();
  for (const TrafficResult& of : result.other_traffic)
    other_traffic.push_back(encode(of));
  return {{"name", result.strategy->name},
          {"summary", result.strategy->summary},
          {"availability", to_string(result.strategy->availability)},
          {"source", result.strategy->source.dated()},
          {"verdict", to_string(result.worst())},
          {"verdict_as_assumed", to_string(result.verdict)},
          {"reason", result.worst_reason()},
          {"reason_as_assumed", result.reason},
          {"longest_outage_as_assumed_ns",
           encode_longest(result.lasting() > 0 ? kNever : result.longest())},
          {"longest_outage_at_worst_ns", encode_longest(result.worst_longest())},
          {"conditions", encode(result.conditions)},
          {"several_assumptions", encode(result.worst_case)},
          {"impacts", encode(result.impacts)},
          {"blockers", result.blockers},
          {"unknowns", result.unknowns},
          {"outages", std::move(classes)},
          {"convergence", encode(result.convergence)},
          {"other_traffic", std::move(other_traffic)},
          {"duration_ns", encode(result.duration)},
          {"window_ns", encode(result.window)},
          {"manual_steps", result.manual_steps},
          {"pairs_unreachable_before", result.unreachable_before}};
}

}  // namespace

Json encode(const Assessment& assessment, const EvaluationOptions& options) {
  const Loaded& loaded = assessment.loaded();
  const Evaluation& evaluation = assessment.decisive.evaluation;
  const Transition& transition = loaded.transition;
  const StrategyResult& best = assessment.best();
  Json node_counts = Json::array();
  for (const CountVerdict& count : assessment.counts)
    node_counts.push_back(encode(count));
  Json accepted = Json::array();
  for (const ImpactFacts& one : kImpacts)
    if (loaded.accepted.contains(one.impact)) accepted.push_back(one.name);
  Json strategies = Json::array();
  for (const StrategyResult& result : evaluation.strategies)
    strategies.push_back(encode(result));
  Json timeline = Json::array();
  for (const Step& step : best.course.steps)
    timeline.push_back(
        {{"at_ns", encode(step.at)}, {"component", step.component}, {"what", step.what}});
  Json leftovers = Json::array();
  for (const Leftover& leftover : evaluation.leftovers)
    leftovers.push_back({{"what", leftover.what}, {"remedy", leftover.remedy}});
  Json assumptions = Json::array();
  for (const auto& [assumption, at_least, at_most] : evaluation.best().sensitivities) {
    assumptions.push_back(model::encode(assumption));
    assumptions.back()["longest_outage_ns"] = {{"at_least", encode_longest(at_least)},
                                               {"at_most", encode_longest(at_most)}};
  }
  Json assumed = Json::array();
  for (const model::Assumption& assumption : loaded.assumptions)
    assumed.push_back(model::encode(assumption));
  Json worse_from = Json::array();
  for (const CountVerdict& one : assessment.worse_from)
    worse_from.push_back(encode(one));
  const bool may_go = assessment.may_go();
  return {{"schema_version", 2},
          {"kind", "Migration"},
          {"shoot", transition.before.namespace_ + '/' + transition.before.name},
          {"provider", transition.before.provider_name},
          {"from", encode_end(transition.before.dataplane)},
          {"to", encode_end(transition.after.dataplane)},
          {"nodes", assessment.decisive.nodes},
          {"seed", options.seed},
          {"disturbance", loaded.disturbance ? Json(to_string(*loaded.disturbance)) : Json()},
          {"runs", loaded.runs},
          {"max_outage_ns", encode(loaded.max_outage)},
          {"accepted", std::move(accepted)},
          {"verdict", to_string(assessment.verdict())},
          {"verdict_as_assumed", to_string(best.verdict)},
          {"headline", assessment.headline()},
          {"node_counts", std::move(node_counts)},
          {"worse_from", std::move(worse_from)},
          {"not_simulated_up_to",
           assessment.not_simulated_up_to > 0 ? Json(assessment.not_simulated_up_to) : Json()},
          {"conditions", encode(best.conditions)},
          {"impacts", encode(best.impacts)},
          {"blockers", best.blockers},
          {"unknowns", best.unknowns},
          {"best", best.strategy->name},
          {"recommended", may_go ? Json(best.strategy->name) : Json()},
          {"recommended_because", evaluation.recommended_because},
          {"strategies", std::move(strategies)},
          {"strategies_not_possible", why_unusual(transition)},
          {"window_ns", encode(best.window)},
          {"steps", may_go ? encode(operator_steps(loaded, *best.strategy, best.conditions))
                           : Json::array()},
          {"steps_back", may_go ? encode(steps_back(loaded, *best.strategy)) : Json::array()},
          {"timeline", std::move(timeline)},
          {"leftovers", std::move(leftovers)},
          {"assumptions", std::move(assumptions)},
          {"assumed", std::move(assumed)},
          {"findings", overlane::encode(loaded.findings)}};
}

}  // namespace overlane::migration
