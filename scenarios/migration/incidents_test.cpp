// Tests of scenarios/library/incidents: the simulation reproduces each reported incident, and shows
// no incident without the cause or with the remedy.

#include <algorithm>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "scenarios/migration/evaluate.h"
#include "topologies/path/reach/reachability.h"

namespace overlane::migration {
namespace incidents_test {

const std::string kFolder = source_file("scenarios/library/incidents/");

/// Loads the switch of an incident. Throws on errors.
Loaded incident(const std::string& name, const effective::Landscape& landscape = {}) {
  LoadRequest request{.paths = {kFolder + name + ".yaml"}};
  request.subject.derive.landscape = landscape;
  auto loaded = load(request);
  if (loaded) return *std::move(loaded);
  const Finding& finding = loaded.error().findings.front();
  throw std::runtime_error(name + ": " + finding.rule + ": " + finding.message);
}

const Strategy& strategy(const Loaded& loaded, std::string_view name) {
  return *std::ranges::find(loaded.strategies, name, &Strategy::name);
}

SwitchResult course_of(const Loaded& loaded, std::string_view name) {
  return simulate(loaded.transition, strategy(loaded, name), loaded.timing, 1);
}

Picos time_of(const SwitchResult& course, std::string_view what) {
  const auto step = std::ranges::find_if(
      course.steps, [&](const Step& one) { return one.what.find(what) != std::string::npos; });
  if (step == course.steps.end()) throw std::out_of_range(std::string(what));
  return step->at;
}

std::string name_of(const Loaded& loaded, std::uint32_t node) {
  return loaded.transition.from.nodes[node].member().name;
}

bool any_lasts(const SwitchResult& course) {
  return std::ranges::any_of(course.outages, [](const Outage& one) { return !one.end; });
}

void set_quota(Loaded& loaded, std::uint32_t quota) {
  for (node::RouteTable& table : loaded.transition.from.fabric.route_tables)
    table.quota = quota;
}

TEST(Incidents, Calico229RoutesThatBirdLeftAreUnreachableUntilTheirNodeIsCleanedUp) {
  Loaded loaded = incident("networking-calico-229");
  const SwitchResult course = course_of(loaded, "routes-first");
  const auto cleaned = [&](std::uint32_t node) {
    return time_of(course, name_of(loaded, node) + ": cleanup-routes");
  };
  std::size_t unreachable = 0;
  for (const Outage& outage : course.outages) {
    EXPECT_GE(outage.begin, time_of(course, "IPPools"));
    EXPECT_LE(*outage.end, std::max(cleaned(outage.from), cleaned(outage.to)));
    unreachable += outage.reason == Drop::UnreachableRoute;
  }
  EXPECT_GT(unreachable, 10u) << "of 30 directions";
  loaded.transition.beyond_subnet = BeyondSubnet::Gateway;
  EXPECT_TRUE(course_of(loaded, "routes-first").outages.empty());
}

TEST(Incidents, Calico215APodAloneIsNeverReady) {
  const Loaded loaded = incident("networking-calico-215");
  EXPECT_EQ(course_of(loaded, "one-at-a-time").unfinished_pods, loaded.transition.nodes());
  EXPECT_EQ(course_of(loaded, "today").unfinished_pods, 0u);
}

TEST(Incidents, Gardener13332TrafficLeavesBeforeTheCloudHasRoutes) {
  const Loaded loaded = incident("gardener-13332");
  const SwitchResult course = course_of(loaded, "today");
  std::size_t without_route = 0;
  for (const Outage& outage : course.outages) {
    EXPECT_LE(*outage.end, time_of(course, "all routes are there"));
    without_route += outage.reason == Drop::FabricNoRoute;
  }
  EXPECT_GT(without_route, 10u);
  EXPECT_TRUE(course_of(loaded, "seamless").outages.empty());
}

TEST(Incidents, Calico765TheGateStaysShutWhileANodeHasNoRoute) {
  Loaded loaded = incident("networking-calico-765");
  const SwitchResult shut = course_of(loaded, "seamless");
  EXPECT_FALSE(shut.network_applied);
  EXPECT_TRUE(shut.outages.empty());
  EXPECT_TRUE(any_lasts(course_of(loaded, "today"))) << "without the gate";
  set_quota(loaded, 500);
  EXPECT_TRUE(course_of(loaded, "seamless").network_applied);
}

TEST(Incidents, Aws691NodesBeyondTheQuotaAreUnreachableForGood) {
  Loaded loaded = incident("provider-aws-691");
  const SwitchResult course = course_of(loaded, "today");
  std::set<std::uint32_t> cut_off;
  for (const Outage& outage : course.outages) {
    if (outage.end) continue;
    EXPECT_EQ(outage.reason, Drop::FabricNoRoute);
    cut_off.insert(outage.to);
  }
  EXPECT_EQ(cut_off, (std::set<std::uint32_t>{48, 49, 50, 51})) << "50 routes, two are no node's";
  set_quota(loaded, 500);
  EXPECT_FALSE(any_lasts(course_of(loaded, "today")));
}

TEST(Incidents, Gcp558ALargeShootTakesTheRoutesOfASmallOne) {
  Loaded loaded = incident("provider-gcp-558");
  EXPECT_EQ(loaded.neighbours.routes, 296u);
  EXPECT_TRUE(any_lasts(course_of(loaded, "today")));
  loaded.transition.from.fabric.route_tables.front().counted_others -= loaded.neighbours.routes;
  EXPECT_FALSE(any_lasts(course_of(loaded, "today"))) << "alone in the network";
}

TEST(Incidents, Gcp1187RoutesStayWhenTheOverlayIsSwitchedOn) {
  const Loaded loaded = incident("provider-gcp-1187");
  const Evaluation evaluation = evaluate(loaded, {});
  EXPECT_TRUE(evaluation.leftovers.front().what.starts_with("2 routes to pods"));
  const std::vector<PodRoute> stale = unneeded_routes(loaded.transition);
  ASSERT_EQ(stale.size(), loaded.transition.nodes());
  for (const PodRoute& route : stale)
    EXPECT_TRUE(has_route(evaluation.best().course.end.fabric, route));
}

/// Expects that another shoot of the network blocks the switch with `rule`.
void expect_blocked(const std::string& name, std::string_view rule) {
  const Loaded loaded = incident(name);
  ASSERT_EQ(loaded.neighbours.blockers.size(), 1u) << name;
  EXPECT_NE(loaded.neighbours.blockers.front().find(rule), std::string::npos)
      << loaded.neighbours.blockers.front();
  const Evaluation evaluation = evaluate(loaded, {});
  for (const StrategyResult& result : evaluation.strategies)
    EXPECT_EQ(result.verdict, MigrationVerdict::NoGo) << result.strategy->name;
}

TEST(Incidents, OpenStack555ControllersOfOneRouterDeleteEachOthersRoutes) {
  expect_blocked("provider-openstack-555", "overlap-routes-contested");
}

TEST(Incidents, Gcp1420ControllersOfOneNetworkWriteTheSameRoutes) {
  expect_blocked("provider-gcp-1420", "overlap-routes-contested");
}

TEST(Incidents, Gardener5180GcpRefusesRoutesInsideASubnet) {
  expect_blocked("gardener-5180", "overlap-routes-over-hosts");
}

TEST(Incidents, ASwitchAloneInItsNetworkIsNotBlocked) {
  for (const char* shoot : {"gcp-overlay", "openstack-overlay"}) {
    const auto loaded =
        load({.paths = {kFolder + "shoots/" + shoot + ".yaml"}, .to = Target::Routed});
    ASSERT_TRUE(loaded) << shoot;
    EXPECT_TRUE(loaded->neighbours.blockers.empty()) << shoot;
  }
}

TEST(Incidents, HelmCharts12331RunningPodsSendMoreThanTheTunnelCarries) {
  const Loaded loaded = incident("helm-charts-12331");
  SwitchResult course = course_of(loaded, "today");
  const auto full_packet = [&] {
    return path::Reachability(course.end, {.bytes = 0}).outcome(0, 1);
  };
  EXPECT_EQ(course.end.nodes[0].pods.front().mtu, 8950u);
  EXPECT_FALSE(full_packet().delivered());
  EXPECT_TRUE(path::Reachability(course.end).outcome(0, 1).delivered()) << "small ones arrive";
  for (node::NodeState& node : course.end.nodes)
    for (node::LocalPod& pod : node.pods)
      pod.mtu = 8930;
  EXPECT_TRUE(full_packet().delivered());
  const Evaluation evaluation = evaluate(loaded, {});
  EXPECT_TRUE(std::ranges::any_of(evaluation.leftovers, [](const Leftover& leftover) {
    return leftover.remedy == "set the pods' MTU to 8930, and restart them";
  }));
}

TEST(Incidents, Aws1703CalicoMarksNodesWhoseMachinesAreReplaced) {
  Loaded loaded = incident("provider-aws-1703");
  const SwitchResult course = course_of(loaded, "today");
  ASSERT_FALSE(course.replaced_nodes.empty());
  EXPECT_LT(course.replaced_nodes.size(), loaded.transition.nodes())
      << "the route controller writes all conditions again when a node is deleted";
  const std::string name = name_of(loaded, course.replaced_nodes.front());
  EXPECT_EQ(time_of(course, "replaces the machine of " + name),
            time_of(course, name + ": pod is replaced, and marks the node") + seconds(600));
  EXPECT_TRUE(course_of(loaded, "protect-first").replaced_nodes.empty());
  loaded.transition.before.mutating_policies.enabled = true;
  EXPECT_TRUE(course_of(loaded, "today").replaced_nodes.empty());
}

TEST(Incidents, OpenStack1404OvnDropsPacketsFromPodsThatAreRouted) {
  const Loaded loaded = incident("provider-openstack-1404", {.openstack_ovn = true});
  for (const Strategy& strategy : loaded.strategies) {
    const SwitchResult course = simulate(loaded.transition, strategy, loaded.timing, 1);
    const std::uint32_t nodes = loaded.transition.nodes();
    std::size_t lasting = 0;
    for (const Outage& outage : course.outages)
      lasting += outage.last_reason == Drop::FabricPacketFilter && !outage.end;
    EXPECT_EQ(lasting, nodes * (nodes - 1)) << strategy.name;
  }
  EXPECT_EQ(loaded.findings.back().rule, "openstack-pod-sources-dropped");
  const Loaded without = incident("provider-openstack-1404", {.openstack_ovn = false});
  EXPECT_FALSE(any_lasts(course_of(without, "today")));

  const Evaluation unknown = evaluate(incident("provider-openstack-1404"), {});
  const Sensitivity& ovn = unknown.best().sensitivities.front();
  EXPECT_EQ(ovn.assumption.parameter, "openstack.ovn");
  EXPECT_EQ(ovn.at_most, kNever);
  EXPECT_LT(ovn.at_least, kNever);
}

TEST(Incidents, Calico4022NodesHaveNoRoutesOrOldOnesAfterASwitchToVxlan) {
  Loaded loaded = incident("calico-4022");
  const SwitchResult course = course_of(loaded, "today");
  const auto deletes = [&](std::uint32_t node) {
    return std::ranges::any_of(course.steps, [&](const Step& one) {
      return one.what.starts_with(name_of(loaded, node) + " deletes its pod routes");
    });
  };
  std::size_t lasting = 0;
  for (const Outage& outage : course.outages)
    if (!outage.end) {
      ++lasting;
      EXPECT_EQ(outage.last_reason, Drop::FabricNoRoute);
      EXPECT_TRUE(deletes(outage.from)) << "others have BIRD's routes (calico issue 1325)";
    }
  EXPECT_GT(lasting, 0u);
  const node::NodeState& end = course.end.nodes[0];
  for (std::uint32_t peer = 1; peer < loaded.transition.nodes(); ++peer) {
    const auto route =
        node::find_route(end, loaded.transition.to.nodes[peer].member().ipv4->pod_cidr);
    EXPECT_EQ(route.has_value(), !deletes(0));
  }
  loaded.transition.joining = loaded.transition.nodes() / 2;
  const SwitchResult renewed =
      simulate(loaded.transition, strategy(loaded, "today"), loaded.timing, 1,
               {.disturbance = Disturbance{Disturbance::Kind::WorkerRoll, {}}});
  const std::uint64_t nodes = loaded.transition.joining;
  EXPECT_EQ(path::Reachability(renewed.end, {.bytes = 0}).delivered(), nodes * (nodes - 1))
      << "pods that are made again have addresses of calico-ipam, and its MTU";
}

TEST(Incidents, Cilium9680NodesOfBothModesCannotTalk) {
  const Loaded loaded = incident("cilium-9680");
  const SwitchResult course = course_of(loaded, "today");
  ASSERT_EQ(loaded.transition.nodes(), 2u);
  const auto [first, second] = std::minmax({time_of(course, name_of(loaded, 0) + ": the agent"),
                                            time_of(course, name_of(loaded, 1) + ": the agent")});
  ASSERT_FALSE(course.outages.empty());
  for (const Outage& outage : course.outages) {
    EXPECT_EQ(outage.begin, first);
    EXPECT_EQ(outage.end, second);
  }
}

TEST(Incidents, AreAllTested) {
  std::size_t scenarios = 0;
  for (const auto& file : std::filesystem::directory_iterator(kFolder)) {
    if (file.path().extension() != ".yaml") continue;
    const std::string name = file.path().stem().string();
    if (name == "one-at-a-time" || name == "aws-52-nodes" || name == "openstack-8950") continue;
    ++scenarios;
    EXPECT_NO_THROW(incident(name)) << name;
  }
  EXPECT_EQ(scenarios, 15u) << "a new one needs a test above";
}

}  // namespace incidents_test
}  // namespace overlane::migration
