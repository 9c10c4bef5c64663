#include "scenarios/migration/evaluate.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "results/finding/counted.h"
#include "scenarios/runner/plan/parallel.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::migration {
namespace {

/// Runs at each end of a parameter's range.
constexpr std::uint32_t kSensitivityRuns = 3;

Spread spread_of(std::vector<Picos> values) {
  std::ranges::sort(values);
  return {values.front(), values[values.size() / 2], values.back()};
}

std::vector<std::string> blockers_of(const Transition& transition, const Course& course) {
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

/// A run that is asked for, …
struct Run {
  const Loaded* loaded = nullptr;
  const Strategy* strategy = nullptr;
  Timing timing;
  std::uint64_t seed = 0;
  bool keeps_course = false;
};
/// … and what became of it.
struct Ran {
  std::vector<ClassOutages> classes;
  Picos ended_at;
  std::optional<Course> course;  ///< If it was to be kept.

  /// kNever: one is never over.
  Picos longest() const {
    Picos longest;
    for (const ClassOutages& of : classes)
      longest = std::max(longest, of.lasting > 0 ? kNever : of.longest);
    return longest;
  }
};

std::vector<Ran> run_all(const std::vector<Run>& runs, std::uint32_t threads) {
  std::vector<Ran> results(runs.size());
  runner::in_parallel(runs.size(), runner::thread_count(threads), [&](std::size_t i) {
    const Run& run = runs[i];
    Course course = simulate(run.loaded->transition, *run.strategy, run.timing, run.seed,
                             {.watched = run.keeps_course ? Watched::AllTraffic : Watched::Pods,
                              .disturbance = run.loaded->disturbance});
    results[i].classes = by_class(course.outages, run.loaded->zones, course.presence);
    results[i].ended_at = course.ended_at;
    if (run.keeps_course) results[i].course = std::move(course);
  });
  return results;
}

/// `runs`: of one strategy, with different seeds. `last`: the transition that ends them.
StrategyResult result_of(const Loaded& loaded, const Transition& last, const Strategy& strategy,
                         std::span<Ran> runs) {
  StrategyResult result{.strategy = &strategy};
  std::vector<Picos> durations;
  for (const ClassOutages& of : runs.front().classes)
    result.classes.push_back(
        {.which = of.which, .connections = of.connections, .reasons = of.reasons});
  for (std::size_t i = 0; i < result.classes.size(); ++i) {
    ClassResult& result_of_class = result.classes[i];
    std::vector<Picos> longest;
    for (const Ran& run : runs) {
      const auto of = std::ranges::find(run.classes, result_of_class.which, &ClassOutages::which);
      if (of == run.classes.end()) continue;  // Its nodes did not coexist.
      result_of_class.affected = std::max(result_of_class.affected, of->affected);
      result_of_class.lasting = std::max(result_of_class.lasting, of->lasting);
      if (of->lasting_reason) result_of_class.lasting_reason = of->lasting_reason;
      longest.push_back(of->longest);
    }
    result_of_class.longest = spread_of(std::move(longest));
  }
  for (const Ran& run : runs)
    durations.push_back(run.ended_at);
  result.duration = spread_of(std::move(durations));
  result.course = *std::move(runs.front().course);
  const Course& course = result.course;
  result.other_traffic = other_traffic({course.outages, course.node_to_pod, course.pod_to_node,
                                        course.unmasqueraded, course.full_size, course.ended},
                                       course.presence);
  result.blockers = loaded.neighbours.blockers;
  for (std::string& blocker : blockers_of(last, result.course))
    result.blockers.push_back(std::move(blocker));
  Picos longest = result.longest();
  std::uint64_t lasting = result.lasting();
  for (const TrafficResult& of : result.other_traffic) {
    if (of.is_possible_only) continue;
    longest = std::max(longest, of.longest);
    lasting += of.lasting;
  }
  if (lasting > 0 || !result.blockers.empty()) {
    result.verdict = Verdict::NoGo;
  } else if (longest > loaded.max_outage) {
    result.verdict = Verdict::Outage;
  }
  return result;
}

/// The best of the results: by verdict, by outage of pods and then of other traffic, by what is
/// available, and by what is to be done by hand; the first of equals.
std::size_t best_of(const std::vector<StrategyResult>& results) {
  const auto rank = [](const StrategyResult& result) {
    Picos sum;
    for (const ClassResult& of : result.classes)
      sum += of.longest.most;
    Picos other;
    for (const TrafficResult& of : result.other_traffic)
      other = std::max(other, of.longest);
    return std::tuple(result.verdict, result.lasting(), result.longest(), sum, other,
                      result.strategy->availability,
                      result.strategy->routes_before + result.strategy->deletes_pods);
  };
  return static_cast<std::size_t>(std::ranges::min_element(results, {}, rank) - results.begin());
}

/// With the packet filters of OVN.
Loaded with_ovn(Loaded loaded) {
  for (compile::Compiled* states : {&loaded.transition.from, &loaded.transition.to})
    for (node::SecurityGroup& group : states->fabric.groups)
      for (node::FabricRule& rule : group.rules)
        if (rule.source == node::RuleSource::GroupAddresses)
          rule.source = node::RuleSource::GroupFixedAddresses;
  return loaded;
}

std::vector<Sensitivity> sensitivities(const Loaded& loaded, const Strategy& strategy,
                                       const EvaluationOptions& options) {
  std::vector<Sensitivity> all;
  std::vector<Run> runs;  // For each, those at one end and those at the other.
  const auto ask = [&](const Loaded& of, const Timing& timing) {
    for (const std::uint64_t seed : runner::repetition_seeds(options.seed, kSensitivityRuns))
      runs.push_back({&of, &strategy, timing, seed});
  };
  for (const TimingFact& fact : timing_facts()) {
    if (fact.least == fact.most) continue;
    if (fact.concerns != nullptr && !fact.concerns(loaded.transition)) continue;
    Timing low = loaded.timing;
    Timing high = loaded.timing;
    low.*fact.value = fact.least;
    high.*fact.value = fact.most;
    ask(loaded, low);
    ask(loaded, high);
    all.push_back({.assumption = {
                       std::string(fact.name), duration_text(loaded.timing.*fact.value),
                       fmt::format("{} to {}", duration_text(fact.least), duration_text(fact.most)),
                       fmt::format("{} ({})", fact.meaning, fact.source), std::string(fact.tag)}});
  }
  std::deque<Loaded> others;  // The runs refer to them.
  if (loaded.transition.drops_bird_tunnel()) {
    const bool is_gateway = loaded.transition.beyond_subnet == BeyondSubnet::Gateway;
    Loaded& other = others.emplace_back(loaded);
    other.transition.beyond_subnet = is_gateway ? BeyondSubnet::Unreachable : BeyondSubnet::Gateway;
    ask(is_gateway ? loaded : other, loaded.timing);
    ask(is_gateway ? other : loaded, loaded.timing);
    all.push_back(
        {.assumption = {"bird.route-beyond-subnet",
                        std::string(to_string(loaded.transition.beyond_subnet)),
                        "gateway or unreachable",
                        "the route that BIRD writes to a peer that is no neighbour once its export "
                        "filter names no tunnel (BIRD 1.6.8: unreachable where nodes have /32 "
                        "addresses; networking-calico pull requests 229 and 546)",
                        "derived"}});
  }
  if (loaded.transition.may_meet_ovn()) {
    ask(loaded, loaded.timing);
    ask(others.emplace_back(with_ovn(loaded)), loaded.timing);
    all.push_back({.assumption = {"openstack.ovn", "false", "false or true",
                                  "whether the networks are OVN's, which drops pods' own "
                                  "addresses: set landscape.openstack.ovn "
                                  "(gardener-extension-provider-openstack issue 1404)",
                                  "default"}});
  }
  const std::vector<Ran> ran = run_all(runs, options.threads);
  const auto longest = [&](std::size_t end) {
    Picos most;
    for (std::size_t run = 0; run < kSensitivityRuns; ++run)
      most = std::max(most, ran[end * kSensitivityRuns + run].longest());
    return most;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].at_least = longest(2 * i);
    all[i].at_most = longest(2 * i + 1);
  }
  std::ranges::stable_sort(all, std::greater(), &Sensitivity::effect);
  return all;
}

/// That pods reach nodes under their own addresses from now on; empty: they do as before.
std::string masquerading(const Transition& transition) {
  const auto unmasqueraded = [](const compile::Compiled& states) -> std::vector<IpPrefix> {
    const auto& filter = states.nodes.front().filter;
    return filter == nullptr ? std::vector<IpPrefix>{} : filter->unmasqueraded_destinations;
  };
  const std::vector<IpPrefix> before = unmasqueraded(transition.from);
  for (const IpPrefix& prefix : unmasqueraded(transition.to))
    if (std::ranges::find(before, prefix) == before.end())
      return fmt::format("pods reach {} unmasqueraded", prefix.to_string());
  return "";
}

/// Routes and devices.
std::vector<Leftover> things_left(const Transition& transition, const Course& course) {
  std::vector<Leftover> left;
  std::vector<PodRoute> stale = unneeded_routes(transition);
  std::erase_if(stale, [&](const PodRoute& route) { return !has_route(course.end.fabric, route); });
  if (!stale.empty())
    left.push_back({fmt::format("{} to pods stay in the cloud's route tables, use up the quota and "
                                "become black holes when their nodes are deleted",
                                counted(stale.size(), "route")),
                    transition.changes_ipam()
                        ? "delete them when no pod from before the switch runs any more"
                        : "delete those to the nodes' pod CIDRs"});
  std::map<std::string, std::uint64_t> devices;
  for (std::uint32_t node = 0; node < transition.nodes(); ++node) {
    if (course.end.stopped.contains(node)) continue;
    for (const node::Device& device : course.end.nodes[node].devices)
      if (transition.to.nodes[node].find_device(device.name) == nullptr)
        ++devices[std::string(device.name.view())];
  }
  for (const auto& [name, nodes] : devices)
    left.push_back({fmt::format("the device {} stays on {}", name, counted(nodes, "node")),
                    fmt::format("replace them, or `ip link set {} down`", name)});
  return left;
}

std::vector<Leftover> leftovers(const Transition& transition, const Course& course) {
  std::vector<Leftover> left = things_left(transition, course);
  if (const std::string change = masquerading(transition); !change.empty())
    left.push_back({change, "let the pods' range pass there"});
  const std::uint32_t old_mtu = transition.before.dataplane.pod_mtu;
  const std::uint32_t new_mtu = transition.after.dataplane.pod_mtu;
  const effective::Dataplane& after = transition.after.dataplane;
  const std::uint32_t carried = after.link_mtu - std::min(after.link_mtu, after.overhead_bytes);
  if (new_mtu > carried)
    left.push_back({fmt::format("pods have the MTU {}, and {} bytes fit between nodes: TCP adapts "
                                "to ICMP errors, larger datagrams with DF are dropped",
                                new_mtu, carried),
                    fmt::format("set the pods' MTU to {}, and restart them", carried)});
  const bool are_new = course.end.stopped.contains(0);  // Pods have moved to other nodes.
  if (old_mtu > new_mtu && !are_new)
    left.push_back({fmt::format("running pods keep the MTU {}; the tunnel carries {}: TCP adapts "
                                "to ICMP errors, larger datagrams with DF are dropped",
                                old_mtu, new_mtu),
                    "restart the pods"});
  if (old_mtu < new_mtu && !are_new)
    left.push_back({fmt::format("running pods keep the MTU {} (new ones: {})", old_mtu, new_mtu),
                    "restart them when convenient"});
  return left;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Go:
      return "go";
    case Verdict::Outage:
      return "outage";
    case Verdict::NoGo:
      return "no-go";
  }
  return "";
}

Picos StrategyResult::longest() const {
  Picos longest;
  for (const ClassResult& of : classes)
    longest = std::max(longest, of.longest.most);
  return longest;
}

std::uint64_t StrategyResult::lasting() const {
  std::uint64_t lasting = 0;
  for (const ClassResult& of : classes)
    lasting += of.lasting;
  return lasting;
}

Evaluation evaluate(const Loaded& loaded, const EvaluationOptions& options) {
  Evaluation evaluation;
  std::vector<Run> runs;
  for (const Strategy& strategy : loaded.strategies)
    for (const std::uint64_t seed : runner::repetition_seeds(options.seed, loaded.runs))
      runs.push_back({&loaded, &strategy, loaded.timing, seed, seed == options.seed});
  std::vector<Ran> ran = run_all(runs, options.threads);
  std::optional<Transition> back;
  if (loaded.goes_back()) back = loaded.transition.reversed();
  for (std::size_t i = 0; i < loaded.strategies.size(); ++i)
    evaluation.strategies.push_back(
        result_of(loaded, back ? *back : loaded.transition, loaded.strategies[i],
                  std::span(ran).subspan(i * loaded.runs, loaded.runs)));
  evaluation.recommended = best_of(evaluation.strategies);
  const StrategyResult& best = evaluation.best();
  evaluation.sensitivities = sensitivities(loaded, *best.strategy, options);
  evaluation.leftovers =
      back ? things_left(*back, best.course) : leftovers(loaded.transition, best.course);
  return evaluation;
}

}  // namespace overlane::migration
