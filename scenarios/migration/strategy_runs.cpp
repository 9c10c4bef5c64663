#include "scenarios/migration/strategy_runs.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "results/base/text.h"
#include "scenarios/migration/actors/calico.h"
#include "scenarios/migration/inputs/hazards.h"
#include "scenarios/migration/operator_steps.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::migration {
namespace {

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
    result.longest_at_worst = result.lasting > 0 ? kNever : result.longest.max;
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
    result.impacts.push_back({Impact::IpamBlocks, what, true, true});
  } else if (is_likely) {
    result.blockers.push_back(what);
  } else {
    result.unknowns.push_back(what);
  }
}

void judge_impacts(const Loaded& loaded, const SeedResult& first, StrategyResult& result) {
  const auto add = [&](Impact impact, std::string what, bool accepted = false) {
    accepted = accepted || loaded.accepted.contains(impact);
    result.impacts.push_back({.impact = impact,
                              .what = std::move(what),
                              .accepted = accepted,
                              .accepted_at_worst = accepted});
  };
  for (const TrafficResult& of : result.other_traffic) {
    if (of.affected == 0 || (of.lasting > 0 && !of.is_possible_only)) continue;
    add(of.impact, impact_text(of), !of.ends && of.lasting == 0 && of.longest <= loaded.max_outage);
    result.impacts.back().traffic = of.name;
  }
  const bool has_full_size_row = std::ranges::any_of(result.impacts, [](const ImpactResult& one) {
    return one.impact == Impact::FullSizeDatagrams;
  });
  const Transition& transition = loaded.transition;
  const std::uint32_t mtu =
      (loaded.goes_back() ? transition.before : transition.after).dataplane.pod_mtu;
  if (first.oversized_packets > 0 && !has_full_size_row)
    add(Impact::FullSizeDatagrams,
        fmt::format("datagrams of {} of {} to {} bytes fail in the tunnel until the pods are "
                    "restarted",
                    loaded.goes_back() ? "pods made during the switch" : "running pods", mtu + 1,
                    first.oversized_packets));
  if (transition.changes_families() && !transition.becomes_dual_stack())
    add(Impact::Ipv6, "connections over IPv6 end");
  if (transition.joining > 1) {
    add(Impact::PodRestarts, "all nodes are replaced, and every pod with them");
  } else if (transition.changes_ipam()) {
    add(Impact::PodRestarts, "every pod has to be made again, with an address of calico-ipam");
  }
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
  for (TrafficResult& of : result.other_traffic)
    of.longest_at_worst = of.longest_or_never();
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

}  // namespace

bool has_many_nodes(const Loaded& loaded) {
  return loaded.transition.nodes() > kManyNodes;
}

bool has_few_nodes(const Loaded& loaded) {
  return loaded.transition.nodes() <= kFewNodes;
}

std::vector<StrategyResult> simulate_cases(const std::vector<SimulationCase>& cases,
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

}  // namespace overlane::migration
