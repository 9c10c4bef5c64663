#include "scenarios/migration/evaluate.h"

#include <algorithm>
#include <deque>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/base/text.h"
#include "scenarios/migration/actors/calico.h"
#include "scenarios/migration/inputs/hazards.h"
#include "scenarios/migration/operator_steps.h"
#include "scenarios/runner/plan/parallel.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::migration {
namespace {

/// Number of runs at each value of an uncertain fact and at each end of the range of a duration:
/// those of a strategy, so that a value given by `--set` has the same result.
std::uint32_t sensitivity_runs(const Loaded& loaded) {
  return loaded.transition.nodes() > kManyNodes ? 1 : loaded.runs;
}

Spread spread_of(std::vector<Picos> values) {
  std::ranges::sort(values);
  return {values.front(), values[values.size() / 2], values.back()};
}

std::vector<std::string> blockers_of(const Transition& transition, const SwitchResult& course) {
  std::vector<std::string> blockers;
  if (!course.network_applied)
    blockers.push_back(
        "the Network is never deployed: not every node gets the condition RouteCreated");
  if (course.network_applied && course.unfinished_pods > 0)
    blockers.push_back(fmt::format("the roll-out of {} does not complete: {} not ready",
                                   transition.cni().daemon_set,
                                   counted(course.unfinished_pods, "pod")));
  if (!course.replaced_nodes.empty())
    blockers.push_back(
        fmt::format("machine-controller-manager replaces {}, whose condition NetworkUnavailable "
                    "stays True: all their pods end",
                    counted(course.replaced_nodes.size(), "node")));
  if (course.stuck_node)
    blockers.push_back(
        fmt::format("machines are no longer replaced: {}, which is new, takes no "
                    "pods, since its condition NetworkUnavailable stays True",
                    transition.to.nodes[*course.stuck_node].member().name));
  if (transition.changes_ipam() &&
      std::ranges::any_of(course.outages, [](const Outage& outage) { return !outage.end; }))
    blockers.push_back(
        "pods that run keep addresses of host-local, and Felix has routes to those "
        "of calico-ipam only: other nodes do not reach them until they are made again");
  std::uint64_t without_route = 0;
  for (std::uint32_t node = 0; node < transition.nodes(); ++node)
    if (!course.end.stopped.contains(node))
      for (const PodRoute& route : routes_of(transition.after, transition.to, node))
        without_route += !has_route(course.end.fabric, route);
  if (without_route > 0)
    blockers.push_back(fmt::format("the cloud refuses {}", counted(without_route, "route")));
  return blockers;
}

/// One strategy with given durations, simulated with `runs` seeds.
struct SimulationCase {
  const Loaded* loaded = nullptr;
  const Strategy* strategy = nullptr;
  Timing timing;
  std::uint32_t runs = 1;
  bool keeps_course = false;
};

/// The result of one seed of a case.
struct SeedResult {
  std::vector<ClassOutages> classes;
  Convergence convergence;
  Picos ended_at;
  std::uint32_t nodes_with_foreign_blocks = 0;
  std::uint64_t unreachable_before = 0;
  // The members from here on are results of the first seed only.
  std::vector<TrafficResult> other_traffic;
  std::vector<std::string> blockers;
  std::uint32_t oversized_packets = 0;
  SwitchResult course;  ///< Empty unless the case keeps it.
};

/// Removes the outages that exist before the switch begins, because the switch does not cause them
/// (for example routes beyond the quota of a routed shoot). Returns the number of pairs of nodes
/// with a removed outage between pods.
std::uint64_t drop_outages_before_the_switch(SwitchResult& course) {
  const auto is_before = [](const Outage& outage) { return outage.begin == Picos{}; };
  for (auto* outages :
       {&course.node_to_pod, &course.pod_to_node, &course.unmasqueraded, &course.full_size})
    std::erase_if(*outages, is_before);
  const auto rest = std::ranges::stable_partition(course.outages, is_before);
  const std::uint64_t pairs =
      count_node_pairs(std::ranges::subrange(course.outages.begin(), rest.begin()));
  course.outages.erase(course.outages.begin(), rest.begin());
  return pairs;
}

/// Probability from which on an event counts as expected.
constexpr double kLikely = 0.5;

SeedResult simulate_seed(const SimulationCase& one, std::uint64_t seed, bool is_first) {
  const Loaded& loaded = *one.loaded;
  SwitchResult course = simulate(loaded.transition, *one.strategy, one.timing, seed,
                                 {.watched = is_first ? Watched::AllTraffic : Watched::Pods,
                                  .disturbance = loaded.disturbance});
  const std::uint64_t unreachable_before = drop_outages_before_the_switch(course);
  const auto pairs = pairs_by_class(loaded.zones, course.presence);
  constexpr std::uint64_t kDirections = 2;
  SeedResult result{
      .classes = by_class(course.outages, loaded.zones, course.presence),
      .convergence = convergence_of(course.outages, kDirections * (pairs[0] + pairs[1])),
      .ended_at = course.ended_at,
      .nodes_with_foreign_blocks = nodes_with_foreign_blocks(loaded.transition, seed),
      .unreachable_before = unreachable_before};
  if (!is_first) return result;
  result.other_traffic = other_traffic({course.outages, course.node_to_pod, course.pod_to_node,
                                        course.unmasqueraded, course.full_size, course.ended},
                                       course.presence);
  const Transition last = loaded.goes_back() ? loaded.transition.reversed() : loaded.transition;
  result.blockers = blockers_of(last, course);
  result.oversized_packets = oversized_packets(last, course);
  if (one.keeps_course) result.course = std::move(course);
  return result;
}

std::vector<ClassResult> classes_of(std::span<const SeedResult> seeds) {
  std::vector<ClassResult> classes;
  for (const ClassOutages& of : seeds.front().classes) {
    ClassResult result{.which = of.which, .connections = of.connections, .reasons = of.reasons};
    std::vector<Picos> longest;
    for (const SeedResult& seed : seeds) {
      const auto found = std::ranges::find(seed.classes, of.which, &ClassOutages::which);
      if (found == seed.classes.end()) continue;  // No nodes of this class coexisted.
      result.affected = std::max(result.affected, found->affected);
      result.lasting = std::max(result.lasting, found->lasting);
      if (found->lasting_reason) result.lasting_reason = found->lasting_reason;
      longest.push_back(found->longest);
    }
    result.longest = spread_of(std::move(longest));
    classes.push_back(std::move(result));
  }
  return classes;
}

/// The spread of a time over the seeds that have one.
template <typename Time>
std::optional<Spread> spread_of(std::span<const SeedResult> seeds, Time time) {
  std::vector<Picos> values;
  for (const SeedResult& seed : seeds) {
    const std::optional<Picos>& value = seed.convergence.*time;
    if (value) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(spread_of(std::move(values)));
}

ConvergenceResult convergence_result(std::span<const SeedResult> seeds) {
  ConvergenceResult result{.routes = seeds.front().convergence.routes,
                           .first_route = spread_of(seeds, &Convergence::first_route),
                           .full = spread_of(seeds, &Convergence::full),
                           .blocked = spread_of(seeds, &Convergence::blocked)};
  for (const SeedResult& seed : seeds) {
    result.interrupted = std::max(result.interrupted, seed.convergence.interrupted);
    result.unconverged = std::max(result.unconverged, seed.convergence.unconverged);
  }
  if (result.unconverged > 0) {
    result.full.reset();
    result.blocked.reset();
  }
  const auto least = spread_of(seeds, &Convergence::least_loss);
  const auto median = spread_of(seeds, &Convergence::median_loss);
  const auto most = spread_of(seeds, &Convergence::most_loss);
  if (least && median && most) result.route_loss = Spread{least->min, median->median, most->max};
  return result;
}

/// Judges the probability that calico-ipam claims blocks in pod CIDRs of other nodes: a blocker if
/// it is at least kLikely, else a hazard. The draw of a single seed does not decide, because an
/// operator has one cluster.
void judge_blocks(const Loaded& loaded, std::span<const SeedResult> seeds, StrategyResult& result) {
  const Transition& transition = loaded.transition;
  const double probability = probability_of_foreign_blocks(transition);
  if (probability <= 0) return;
  const bool is_likely = probability >= kLikely;
  const std::uint32_t struck = seeds.front().nodes_with_foreign_blocks;
  const std::string consequence =
      "other nodes do not reach pods there until those are made again, since IPAM changes from "
      "host-local to calico-ipam without a migration";
  const std::string percent = probability > 0.999  ? "over 99.9 %"
                              : probability > 0.01 ? fmt::format("{:.0f} %", probability * 100)
                                                   : fmt::format("{:.2g} %", probability * 100);
  const std::string what =
      is_likely && struck > 0
          ? fmt::format(
                "calico-ipam allocates blocks in the pod CIDRs of about {} of {}, with a "
                "probability of {}: {}",
                struck, counted(transition.nodes_at_start(), "node"), percent, consequence)
          : fmt::format(
                "with a probability of {}, calico-ipam allocates a block in a "
                "node's pod CIDR: {}",
                percent, consequence);
  if (loaded.accepted.contains(Impact::IpamBlocks)) {
    result.impacts.push_back({Impact::IpamBlocks, what, true});
  } else if (is_likely) {
    result.blockers.push_back(what);
  } else {
    result.unknowns.push_back(what);
  }
}

/// "fails", "may fail", "fail": the verb for the traffic's name.
std::string_view failing(const TrafficResult& of) {
  const bool is_plural = of.name.ends_with("queries") || of.name.ends_with("datagrams");
  return of.is_possible_only ? "may fail" : is_plural ? "fail" : "fails";
}

std::string impact_text(const TrafficResult& of) {
  if (of.ends) return fmt::format("established {} end", of.name);
  return fmt::format("{} {} {}", of.name, failing(of),
                     of.lasting > 0 ? "from then on" : "for " + outage_text(of.longest));
}

void judge_impacts(const Loaded& loaded, const SeedResult& first, StrategyResult& result) {
  const auto add = [&](Impact impact, std::string what, bool accepted = false) {
    result.impacts.push_back(
        {impact, std::move(what), accepted || loaded.accepted.contains(impact)});
  };
  for (const TrafficResult& of : result.other_traffic) {
    if (of.affected == 0 || (of.lasting > 0 && !of.is_possible_only)) continue;
    add(of.impact, impact_text(of), !of.ends && of.lasting == 0 && of.longest <= loaded.max_outage);
  }
  const bool has_full_size_row = std::ranges::any_of(result.impacts, [](const ImpactResult& one) {
    return one.impact == Impact::FullSizeDatagrams;
  });
  const Transition& transition = loaded.transition;
  const std::uint32_t mtu =
      (loaded.goes_back() ? transition.before : transition.after).dataplane.pod_mtu;
  if (first.oversized_packets > 0 && !has_full_size_row)
    add(Impact::FullSizeDatagrams,
        fmt::format(
            "datagrams of {} of {} to {} bytes fail in the tunnel until the pods are "
            "restarted",
            loaded.goes_back() ? "pods made before the switch is taken back" : "running pods",
            mtu + 1, first.oversized_packets));
  if (transition.changes_families() && !transition.becomes_dual_stack())
    add(Impact::Ipv6, "connections over IPv6 end");
  if (transition.joining > 1) {
    add(Impact::PodRestarts, "all nodes are replaced, and every pod with them");
  } else if (transition.changes_ipam()) {
    add(Impact::PodRestarts, "every pod has to be made again, with an address of calico-ipam");
  }
}

/// Texts such as "6 connections across zones are never restored (…)". If no pods are interrupted,
/// the texts describe other traffic.
std::vector<std::string> outage_texts(const StrategyResult& result) {
  std::vector<std::string> parts;
  std::vector<std::string> stops;
  for (const ClassResult& of : result.classes) {
    if (of.lasting > 0) {
      parts.push_back(fmt::format("{} {} {} never restored ({})", counted(of.lasting, "connection"),
                                  to_string(of.which), of.lasting == 1 ? "is" : "are",
                                  overlane::facts(of.lasting_reason.value()).meaning));
    } else if (of.affected > 0) {
      stops.push_back(fmt::format("{} {}", outage_text(of.longest.max), to_string(of.which)));
    }
  }
  if (!stops.empty())
    parts.push_back(
        fmt::format("connections between nodes stop for up to {}", fmt::join(stops, " and ")));
  if (!parts.empty()) return parts;
  for (const TrafficResult& of : result.other_traffic)
    if (of.lasting > 0 && !of.is_possible_only)
      parts.push_back(fmt::format("{}: never restored", of.name));
  return parts;
}

/// The longest outage, or kNever if an outage never ends.
Picos longest_or_never(const StrategyResult& result) {
  return result.lasting() > 0 ? kNever : result.longest();
}

/// The outages that `--max-outage` accepts; empty if there are none.
std::string accepted_outages(const StrategyResult& result) {
  const Picos longest = result.accepted_outage();
  return longest == Picos{} ? "" : fmt::format("outages of up to {}", outage_text(longest));
}

std::string reason_of(const StrategyResult& result) {
  const auto joined = [](const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, "; "));
  };
  switch (result.verdict) {
    case MigrationVerdict::NoGo:
      return result.lasting() == 0 && !result.blockers.empty() ? result.blockers.front()
                                                               : joined(outage_texts(result));
    case MigrationVerdict::Unknown:
      return joined(result.unknowns);
    case MigrationVerdict::Outage:
      return joined(outage_texts(result));
    case MigrationVerdict::GoWithImpact: {
      std::vector<std::string> parts;
      for (const ImpactResult& one : result.impacts)
        if (!one.accepted) parts.push_back(one.what);
      if (const std::string outages = accepted_outages(result); !outages.empty())
        parts.push_back(outages + " accepted");
      return joined(parts);
    }
    case MigrationVerdict::Go:
      break;
  }
  const std::string outages = accepted_outages(result);
  std::vector<std::string> accepted;
  if (!outages.empty()) accepted.push_back(outages);
  for (const ImpactResult& one : result.impacts)
    accepted.push_back(one.what);
  if (accepted.empty()) return "nothing is interrupted";
  return fmt::format("{}accepted: {}",
                     outages.empty() ? "no connection between nodes is interrupted; " : "",
                     joined(accepted));
}

StrategyResult result_of(const SimulationCase& one, std::span<SeedResult> seeds) {
  const Loaded& loaded = *one.loaded;
  StrategyResult result{.strategy = one.strategy,
                        .classes = classes_of(seeds),
                        .convergence = convergence_result(seeds)};
  std::vector<Picos> durations;
  for (const SeedResult& seed : seeds)
    durations.push_back(seed.ended_at);
  result.duration = spread_of(std::move(durations));
  SeedResult& first = seeds.front();
  result.course = std::move(first.course);
  result.other_traffic = std::move(first.other_traffic);
  result.unreachable_before = first.unreachable_before;
  result.blockers = loaded.neighbours.blockers;
  result.blockers.insert(result.blockers.end(), loaded.blockers.begin(), loaded.blockers.end());
  if (loaded.answers.passes_tunnel == false && !loaded.transition.to_routed())
    result.blockers.emplace_back("packet filters drop the tunnel's packets, as --set says");
  if (loaded.answers.writes_routes == false && loaded.transition.to_routed())
    result.blockers.emplace_back("the provider writes no routes to the nodes' pods, as --set says");
  for (std::string& blocker : first.blockers)
    result.blockers.push_back(std::move(blocker));
  judge_blocks(loaded, seeds, result);
  if (loaded.transition.changes_families() && !loaded.transition.replaces_nodes())
    result.unknowns.emplace_back(
        "a worker pool is updated in place: Gardener does not replace its nodes, which keep their "
        "IP family until they are");
  judge_impacts(loaded, first, result);
  result.manual_steps = operator_steps(loaded, *one.strategy).size();
  const bool traffic_lasts = std::ranges::any_of(result.other_traffic, [](const TrafficResult& of) {
    return of.lasting > 0 && !of.is_possible_only;
  });
  if (result.lasting() > 0 || traffic_lasts || !result.blockers.empty()) {
    result.verdict = MigrationVerdict::NoGo;
  } else if (!result.unknowns.empty()) {
    result.verdict = MigrationVerdict::Unknown;
  } else if (result.longest() > loaded.max_outage) {
    result.verdict = MigrationVerdict::Outage;
  } else if (std::ranges::any_of(result.impacts, std::logical_not(), &ImpactResult::accepted)) {
    result.verdict = MigrationVerdict::GoWithImpact;
  }
  result.reason = reason_of(result);
  return result;
}

std::vector<StrategyResult> simulate_all(const std::vector<SimulationCase>& cases,
                                         const EvaluationOptions& options) {
  struct Task {
    std::size_t which = 0;
    std::uint64_t seed = 0;
    bool is_first = false;
  };
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (const std::uint64_t seed : runner::repetition_seeds(options.seed, cases[i].runs))
      tasks.push_back({i, seed, seed == options.seed});
  std::vector<SeedResult> seeds(tasks.size());
  const auto simulate_task = [&](std::size_t i) {
    seeds[i] = simulate_seed(cases[tasks[i].which], tasks[i].seed, tasks[i].is_first);
  };
  runner::in_parallel(tasks.size(), runner::thread_count(options.threads), simulate_task,
                      options.progress);
  std::vector<StrategyResult> results;
  std::span<SeedResult> left = seeds;
  for (const SimulationCase& one : cases) {
    results.push_back(result_of(one, left.first(one.runs)));
    left = left.subspan(one.runs);
  }
  return results;
}

/// Adds the condition if the fact changes the verdict. The conditions with the worst verdict come
/// first.
void add_condition(StrategyResult& result, Condition condition) {
  const auto is_known = std::ranges::find(result.conditions, condition.parameter,
                                          &Condition::parameter) != result.conditions.end();
  if (is_known || condition.if_so == condition.otherwise) return;
  const auto behind = std::ranges::find_if(
      result.conditions, [&](const Condition& one) { return one.worst() < condition.worst(); });
  result.conditions.insert(behind, std::move(condition));
}

/// `otherwise` is the result if the fact does not hold; null: then no packet arrives.
Condition condition_of(const UncertainFact& fact, MigrationVerdict if_so,
                       const StrategyResult* otherwise) {
  return {.parameter = fact.assumption.parameter,
          .holds = fact.holds,
          .if_so = if_so,
          .otherwise = otherwise != nullptr ? otherwise->verdict : MigrationVerdict::NoGo,
          .otherwise_reason =
              otherwise != nullptr ? otherwise->reason : "pods never reach pods of other nodes",
          .otherwise_longest = otherwise != nullptr ? longest_or_never(*otherwise) : kNever,
          .check = fact.check,
          .command = fact.command,
          .reading = fact.reading,
          .setting = fact.setting,
          .setting_otherwise = fact.setting_otherwise};
}

std::vector<const TimingFact*> uncertain_durations(const Loaded& loaded) {
  std::vector<const TimingFact*> facts;
  for (const TimingFact& fact : timing_facts())
    if (fact.min != fact.max && !loaded.answers.durations.contains(fact.name) &&
        (fact.concerns == nullptr || fact.concerns(loaded.transition)))
      facts.push_back(&fact);
  return facts;
}

/// Whether `a` is worse than `b`: by verdict, then by the longest outage.
bool is_worse(const StrategyResult& a, const StrategyResult& b) {
  return std::pair(a.verdict, longest_or_never(a)) > std::pair(b.verdict, longest_or_never(b));
}

/// Keeps `result` as the worst case of `of` if it is worse than all that is known of the strategy.
void consider(const StrategyResult& result, StrategyResult& of) {
  const WorstCase found{result.verdict, result.reason, longest_or_never(result)};
  if (found.verdict > of.worst() ||
      (found.verdict == of.worst() && found.longest > of.worst_longest()))
    of.worst_case = found;
}

/// The results of a strategy at both ends of the range of one duration.
struct DurationEnds {
  const TimingFact* fact = nullptr;
  StrategyResult low;
  StrategyResult high;
};

/// Simulates the strategy at both ends of the range of every uncertain duration.
std::vector<DurationEnds> simulate_ends(const Loaded& loaded, const Strategy* strategy,
                                        const EvaluationOptions& options) {
  const std::vector<const TimingFact*> facts = uncertain_durations(loaded);
  std::vector<SimulationCase> cases;
  for (const TimingFact* fact : facts)
    for (const Picos end : {fact->min, fact->max}) {
      Timing timing = loaded.timing;
      timing.*fact->value = end;
      cases.push_back({&loaded, strategy, timing, sensitivity_runs(loaded)});
    }
  std::vector<DurationEnds> ends;
  std::vector<StrategyResult> results = simulate_all(cases, options);
  auto result = std::move_iterator(results.begin());
  for (const TimingFact* fact : facts) {
    StrategyResult low = *result++;
    ends.push_back({fact, std::move(low), *result++});
  }
  return ends;
}

/// The durations with each at its worse end; those without effect as assumed.
Timing worse_durations(const Loaded& loaded, const std::vector<DurationEnds>& ends) {
  Timing timing = loaded.timing;
  for (const auto& [fact, low, high] : ends) {
    if (is_worse(low, high)) timing.*fact->value = fact->min;
    if (is_worse(high, low)) timing.*fact->value = fact->max;
  }
  return timing;
}

/// Simulates every strategy with either value of each uncertain fact and, at the same time, every
/// duration at the end that is worse for the best strategy with that value. `ends` are those of the
/// assumed values.
void combine_assumptions(const Loaded& loaded, const std::vector<DurationEnds>& ends,
                         const EvaluationOptions& options, Evaluation& evaluation) {
  const std::vector<UncertainFact> facts = uncertain_facts(loaded);
  std::vector<std::pair<const Loaded*, Timing>> values{{&loaded, worse_durations(loaded, ends)}};
  for (const UncertainFact& fact : facts) {
    if (!fact.otherwise) continue;
    const Loaded& other = *fact.otherwise;
    const auto other_ends = simulate_ends(other, evaluation.best().strategy, options);
    values.emplace_back(&other, worse_durations(other, other_ends));
  }
  std::vector<SimulationCase> cases;
  for (const StrategyResult& result : evaluation.strategies)
    for (const auto& [value, durations] : values)
      cases.push_back({value, result.strategy, durations,
                       &result == &evaluation.best() ? loaded.runs : sensitivity_runs(loaded)});
  const std::vector<StrategyResult> results = simulate_all(cases, options);
  auto result = results.begin();
  for (StrategyResult& strategy : evaluation.strategies) {
    for (std::size_t i = 0; i < values.size(); ++i)
      consider(*result++, strategy);
    strategy.reason = reason_of(strategy);  // The longest outage may be accepted.
  }
}

/// The sensitivity of the best strategy to a duration, and the condition that it is at most as
/// assumed.
void add_duration(const Loaded& loaded, const DurationEnds& ends, Evaluation& evaluation) {
  StrategyResult& best = evaluation.strategies[evaluation.recommended];
  const auto& [fact, low, high] = ends;
  const StrategyResult& worse = is_worse(low, high) ? low : high;
  const Picos assumed = loaded.timing.*fact->value;
  evaluation.sensitivities.push_back(
      {.assumption = {std::string(fact->name), duration_text(assumed),
                      fmt::format("{} to {}", duration_text(fact->min), duration_text(fact->max)),
                      fmt::format("{} ({})", fact->meaning, fact->source.text()),
                      std::string(fact->tag)},
       .at_least = longest_or_never(low),
       .at_most = longest_or_never(high)});
  add_condition(best,
                {.parameter = std::string(fact->name),
                 .holds = fmt::format("{} takes at most {}", fact->name, duration_text(assumed)),
                 .if_so = best.verdict,
                 .otherwise = std::max(best.verdict, worse.verdict),
                 .otherwise_reason = worse.reason,
                 .otherwise_longest = longest_or_never(worse),
                 .check = std::string(fact->check),
                 .command = command_of(*fact, loaded.transition),
                 .reading = std::string(fact->meaning),
                 .setting = fmt::format("migration.{}={}", fact->name, setting_text(assumed)),
                 .setting_otherwise =
                     fmt::format("migration.{}={}", fact->name,
                                 setting_text(is_worse(low, high) ? fact->min : fact->max))});
}

/// Simulates the best strategy with all durations at the same end of their ranges.
void find_window(const Loaded& loaded, const EvaluationOptions& options, Evaluation& evaluation) {
  StrategyResult& best = evaluation.strategies[evaluation.recommended];
  Timing least = loaded.timing;
  Timing most = loaded.timing;
  for (const TimingFact* fact : uncertain_durations(loaded)) {
    least.*fact->value = fact->min;
    most.*fact->value = fact->max;
  }
  const std::uint32_t runs = sensitivity_runs(loaded);
  const auto results = simulate_all(
      {{&loaded, best.strategy, least, runs}, {&loaded, best.strategy, most, runs}}, options);
  evaluation.window = {results[0].duration.min, best.duration.median, results[1].duration.max};
  for (const StrategyResult& result : results)
    consider(result, best);
}

/// Simulates the best strategy with other durations, and all strategies when several assumptions do
/// not hold.
void vary_durations(const Loaded& loaded, const EvaluationOptions& options,
                    Evaluation& evaluation) {
  const auto ends = simulate_ends(loaded, evaluation.best().strategy, options);
  for (const DurationEnds& of : ends)
    add_duration(loaded, of, evaluation);
  find_window(loaded, options, evaluation);
  combine_assumptions(loaded, ends, options, evaluation);
}

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

MigrationVerdict StrategyResult::worst() const {
  if (const WorstCase* together = several_assumptions()) return together->verdict;
  const Condition* condition = worst_condition();
  return condition == nullptr ? verdict : condition->otherwise;
}

const Condition* StrategyResult::worst_condition() const {
  const Condition* worst = nullptr;
  for (const Condition& one : conditions)
    if (one.otherwise > (worst == nullptr ? verdict : worst->otherwise)) worst = &one;
  return worst;
}

const WorstCase* StrategyResult::several_assumptions() const {
  const Condition* condition = worst_condition();
  const MigrationVerdict by_one = condition == nullptr ? verdict : condition->otherwise;
  return worst_case && worst_case->verdict > by_one ? &*worst_case : nullptr;
}

const std::string& StrategyResult::worst_reason() const {
  if (const WorstCase* together = several_assumptions()) return together->reason;
  const Condition* condition = worst_condition();
  return condition == nullptr ? reason : condition->otherwise_reason;
}

Picos StrategyResult::worst_longest() const {
  Picos worst = longest_or_never(*this);
  if (worst_case) worst = std::max(worst, worst_case->longest);
  for (const Sensitivity& fact : facts)
    worst = std::max({worst, fact.at_least, fact.at_most});
  for (const Condition& condition : conditions)
    worst = std::max(worst, condition.otherwise_longest);
  return worst;
}

Picos StrategyResult::accepted_outage() const {
  if (verdict > MigrationVerdict::GoWithImpact) return {};
  return worst() > MigrationVerdict::GoWithImpact ? longest() : worst_longest();
}

Picos StrategyResult::longest() const {
  Picos longest;
  for (const ClassResult& of : classes)
    longest = std::max(longest, of.longest.max);
  return longest;
}

std::uint64_t StrategyResult::lasting() const {
  std::uint64_t lasting = 0;
  for (const ClassResult& of : classes)
    lasting += of.lasting;
  return lasting;
}

int compare(const StrategyResult& a, const StrategyResult& b, std::string* because) {
  const auto decide = [&](const auto& of_a, const auto& of_b, const auto& text) {
    if (of_a == of_b) return 0;
    if (because != nullptr) *because = of_a < of_b ? text(of_a, of_b) : text(of_b, of_a);
    return of_a < of_b ? -1 : 1;
  };
  const auto verdicts = [](MigrationVerdict better, MigrationVerdict worse) {
    return fmt::format("{} instead of {}", to_string(better), to_string(worse));
  };
  const auto counts = [](std::string_view what) {
    return [what](std::uint64_t better, std::uint64_t worse) {
      return fmt::format("{} {} instead of {}", better, what, worse);
    };
  };
  const auto times = [](std::string_view what) {
    return [what](Picos better, Picos worse) {
      return fmt::format("{} for {} instead of {}", what, outage_text(better), outage_text(worse));
    };
  };
  if (const int order = decide(a.worst(), b.worst(), verdicts)) return order;
  if (const int order = decide(a.verdict, b.verdict, verdicts)) return order;
  if (const int order =
          decide(a.lasting(), b.lasting(), counts("connections that are never restored")))
    return order;
  if (const int order = decide(a.longest(), b.longest(), times("connections between nodes stop")))
    return order;
  for (std::size_t i = 0; i < std::min(a.classes.size(), b.classes.size()); ++i) {
    const ClassResult& of_a = a.classes[i];
    const ClassResult& of_b = b.classes[i];
    const std::string where = fmt::format("connections {}", to_string(of_a.which));
    if (const int order = decide(of_a.longest.max, of_b.longest.max, times(where + " stop")))
      return order;
    if (const int order = decide(of_a.affected, of_b.affected, counts("interrupted " + where)))
      return order;
  }
  for (std::size_t i = 0; i < std::min(a.other_traffic.size(), b.other_traffic.size()); ++i) {
    const TrafficResult& of_a = a.other_traffic[i];
    const TrafficResult& of_b = b.other_traffic[i];
    if (const int order = decide(of_a.lasting, of_b.lasting,
                                 counts(fmt::format("lasting failures of {}", of_a.name))))
      return order;
    if (const int order = decide(of_a.longest, of_b.longest,
                                 times(fmt::format("{} {}", of_a.name, failing(of_a)))))
      return order;
    if (const int order = decide(of_a.affected, of_b.affected,
                                 counts(fmt::format("interrupted pairs of {}", of_a.name))))
      return order;
  }
  if (const int order = decide(a.strategy->availability, b.strategy->availability,
                               [](Availability, Availability) {
                                 return std::string("needs no feature gate of the landscape");
                               }))
    return order;
  return decide(a.manual_steps, b.manual_steps, counts("steps by hand"));
}

Evaluation evaluate(const Loaded& loaded, const EvaluationOptions& options) {
  Evaluation evaluation;
  const std::vector<UncertainFact> facts = uncertain_facts(loaded);
  std::vector<SimulationCase> cases;
  for (const Strategy& strategy : loaded.strategies)
    cases.push_back({&loaded, &strategy, loaded.timing, loaded.runs, true});
  const std::uint32_t fact_runs = sensitivity_runs(loaded);
  for (const UncertainFact& fact : facts)
    if (fact.otherwise)
      for (const Strategy& strategy : loaded.strategies)
        cases.push_back({&*fact.otherwise, &strategy, loaded.timing, fact_runs});
  std::vector<StrategyResult> results = simulate_all(cases, options);
  auto otherwise = results.begin() + std::ssize(loaded.strategies);
  evaluation.strategies.assign(std::move_iterator(results.begin()), std::move_iterator(otherwise));
  for (const UncertainFact& fact : facts) {
    for (StrategyResult& result : evaluation.strategies) {
      const Picos assumed = longest_or_never(result);
      const Picos other = fact.otherwise ? longest_or_never(*otherwise) : kNever;
      result.facts.push_back({.assumption = fact.assumption,
                              .at_least = fact.assumes_first ? assumed : other,
                              .at_most = fact.assumes_first ? other : assumed});
      add_condition(result,
                    condition_of(fact, result.verdict, fact.otherwise ? &*otherwise : nullptr));
      if (fact.otherwise) ++otherwise;
    }
  }
  // The facts decide which outages are accepted.
  for (StrategyResult& result : evaluation.strategies)
    result.reason = reason_of(result);
  recommend(loaded, evaluation.strategies[best_of(evaluation.strategies)].strategy->name, options,
            evaluation);
  return evaluation;
}

void recommend(const Loaded& loaded, const std::string& strategy, const EvaluationOptions& options,
               Evaluation& evaluation) {
  evaluation.recommended =
      static_cast<std::size_t>(std::ranges::find_if(evaluation.strategies,
                                                    [&](const StrategyResult& one) {
                                                      return one.strategy->name == strategy;
                                                    }) -
                               evaluation.strategies.begin());
  evaluation.sensitivities = evaluation.best().facts;
  std::set<std::size_t> varied;
  while (options.vary_durations) {
    vary_durations(loaded, options, evaluation);
    const bool is_new = varied.insert(evaluation.recommended).second;
    const std::size_t best = best_of(evaluation.strategies);
    if (best == evaluation.recommended || !is_new) break;
    evaluation.recommended = best;
    evaluation.sensitivities = evaluation.best().facts;
  }
  evaluation.recommended_because = advantage(evaluation);
  std::ranges::stable_sort(evaluation.sensitivities, std::greater(), &Sensitivity::effect);
  evaluation.leftovers =
      leftovers(loaded.goes_back() ? loaded.transition.reversed() : loaded.transition,
                evaluation.best().course, loaded.goes_back());
}

}  // namespace overlane::migration
