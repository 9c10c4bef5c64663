#include "scenarios/migration/evaluate.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "results/finding/counted.h"
#include "sim/random/stream.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::migration {
namespace {

/// Runs at each end of a parameter's range.
constexpr std::uint32_t kSensitivityRuns = 3;

std::uint64_t seed_of(std::uint64_t seed, std::uint32_t run) {
  if (run == 0) return seed;
  return RandomStream(seed, StreamUse::Repetition, run).next();
}

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
    blockers.push_back(fmt::format("the roll-out of calico-node does not complete: {} not ready",
                                   counted(course.unfinished_pods, "pod")));
  std::uint64_t without_route = 0;
  for (const PodRoute& route : missing_routes(transition)) {
    const auto& routes = course.end.fabric.route_tables[route.table].routes;
    without_route += routes.find(route.pod_cidr) == nullptr;
  }
  if (without_route > 0)
    blockers.push_back(fmt::format("the cloud refuses {}", counted(without_route, "route")));
  return blockers;
}

StrategyResult run_all(const Loaded& loaded, const Strategy& strategy,
                       const EvaluationOptions& options) {
  StrategyResult result{.strategy = &strategy};
  std::vector<std::vector<Picos>> longest;
  std::vector<Picos> durations;
  for (std::uint32_t run = 0; run < options.seeds; ++run) {
    Course course =
        simulate(loaded.transition, strategy, options.timing, seed_of(options.seed, run));
    const std::vector<ClassOutages> classes = by_class(course.outages, loaded.zones);
    longest.resize(classes.size());
    durations.push_back(course.ended_at);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (run == 0)
        result.classes.push_back({.which = classes[i].which,
                                  .connections = classes[i].connections,
                                  .reasons = classes[i].reasons});
      ClassResult& of = result.classes[i];
      of.affected = std::max(of.affected, classes[i].affected);
      of.lasting = std::max(of.lasting, classes[i].lasting);
      longest[i].push_back(classes[i].longest);
    }
    if (run > 0) continue;
    result.blockers = blockers_of(loaded.transition, course);
    result.course = std::move(course);
  }
  for (std::size_t i = 0; i < longest.size(); ++i)
    result.classes[i].longest = spread_of(std::move(longest[i]));
  result.duration = spread_of(std::move(durations));
  if (result.lasting() > 0 || !result.blockers.empty()) {
    result.verdict = Verdict::NoGo;
  } else if (result.longest() > options.max_outage) {
    result.verdict = Verdict::Outage;
  }
  return result;
}

/// The best of the results: by verdict, by outage, then by what is available; the first of equals.
std::size_t best_of(const std::vector<StrategyResult>& results) {
  const auto rank = [](const StrategyResult& result) {
    return std::tuple(result.verdict, result.lasting(), result.longest(),
                      result.strategy->availability);
  };
  return static_cast<std::size_t>(std::ranges::min_element(results, {}, rank) - results.begin());
}

Picos longest_outage(const Loaded& loaded, const Strategy& strategy, const Timing& timing,
                     std::uint64_t seed) {
  Picos longest;
  for (std::uint32_t run = 0; run < kSensitivityRuns; ++run) {
    const Course course = simulate(loaded.transition, strategy, timing, seed_of(seed, run));
    for (const ClassOutages& of : by_class(course.outages, loaded.zones))
      longest = std::max(longest, of.longest);
  }
  return longest;
}

std::vector<Sensitivity> sensitivities(const Loaded& loaded, const Strategy& strategy,
                                       const EvaluationOptions& options) {
  std::vector<Sensitivity> all;
  for (const TimingFact& fact : timing_facts()) {
    if (fact.least == fact.most) continue;
    Timing low = options.timing;
    Timing high = options.timing;
    low.*fact.value = fact.least;
    high.*fact.value = fact.most;
    all.push_back({{std::string(fact.name), duration_text(options.timing.*fact.value),
                    fmt::format("{} to {}", duration_text(fact.least), duration_text(fact.most)),
                    fmt::format("{} ({})", fact.meaning, fact.source), std::string(fact.tag)},
                   longest_outage(loaded, strategy, low, options.seed),
                   longest_outage(loaded, strategy, high, options.seed)});
  }
  if (loaded.transition.to_routed()) {
    Loaded other = loaded;
    other.transition.beyond_subnet = BeyondSubnet::Gateway;
    all.push_back({{"bird.route-beyond-subnet", "unreachable", "gateway or unreachable",
                    "the route that BIRD writes to a peer in another subnet once its export "
                    "filter names no tunnel (networking-calico pull requests 229 and 546)",
                    "derived"},
                   longest_outage(other, strategy, options.timing, options.seed),
                   longest_outage(loaded, strategy, options.timing, options.seed)});
  }
  std::ranges::stable_sort(all, std::greater(), &Sensitivity::effect);
  return all;
}

std::vector<Leftover> leftovers(const Transition& transition, const Course& course) {
  std::vector<Leftover> left;
  const std::vector<PodRoute> stale = unneeded_routes(transition);
  if (!stale.empty())
    left.push_back({fmt::format("{} to pods in the cloud's route tables, which count against the "
                                "quota and become black holes when their nodes are deleted",
                                counted(stale.size(), "route")),
                    "delete the routes whose destinations are the nodes' pod CIDRs"});
  std::uint64_t devices = 0;
  for (std::uint32_t node = 0; node < transition.nodes(); ++node)
    for (const node::Device& device : course.end.nodes[node].devices)
      devices += transition.to.nodes[node].find_device(device.name) == nullptr;
  if (devices > 0)
    left.push_back({fmt::format("the device tunl0 on {}", counted(devices, "node")),
                    "replace the nodes, or run `ip link set tunl0 down` on each"});
  const std::uint32_t old_mtu = transition.before.dataplane.pod_mtu;
  const std::uint32_t new_mtu = transition.after.dataplane.pod_mtu;
  if (old_mtu > new_mtu)
    left.push_back({fmt::format("running pods keep the MTU {}; the tunnel carries {}: TCP adapts "
                                "to ICMP errors, larger datagrams with DF are dropped",
                                old_mtu, new_mtu),
                    "restart the pods"});
  if (old_mtu < new_mtu)
    left.push_back({fmt::format("running pods keep the MTU {}, new ones have {}", old_mtu, new_mtu),
                    "restart the pods when convenient"});
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

std::vector<const Strategy*> usual_strategies(const Transition& transition) {
  std::vector<const Strategy*> usual;
  for (const Strategy& strategy : strategies()) {
    const bool concerns_routes = strategy.gate != Gate::None || strategy.routes_before;
    if (transition.to_routed() || !concerns_routes) usual.push_back(&strategy);
  }
  return usual;
}

Evaluation evaluate(const Loaded& loaded, const EvaluationOptions& options) {
  Evaluation evaluation;
  for (const Strategy* strategy : options.strategies)
    evaluation.strategies.push_back(run_all(loaded, *strategy, options));
  evaluation.recommended = best_of(evaluation.strategies);
  const StrategyResult& best = evaluation.best();
  evaluation.sensitivities = sensitivities(loaded, *best.strategy, options);
  evaluation.leftovers = leftovers(loaded.transition, best.course);
  return evaluation;
}

}  // namespace overlane::migration
