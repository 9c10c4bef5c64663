#include "scenarios/migration/simulate.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dataplane/forward/packet_builder.h"
#include "scenarios/migration/actors/components.h"
#include "scenarios/migration/outages/outages.h"
#include "scenarios/migration/testing/shoots.h"
#include "scenarios/runner/testing/scenario_files.h"
#include "sim/run/run.h"
#include "topologies/compile/compile.h"

namespace overlane::migration {
namespace simulate_test {

using testing::aws_shoot;
using testing::cilium_shoot;
using testing::shoot_on;

const Strategy& strategy(std::string_view name) {
  return *find_strategy(name);
}

ClassOutages of_class(const Loaded& loaded, const SwitchResult& course, PairClass which) {
  for (const ClassOutages& of : by_class(course.outages, loaded.zones))
    if (of.which == which) return of;
  throw std::out_of_range("no connections of this class");
}

/// The time of the first step whose text contains `what`.
Picos time_of(const SwitchResult& course, std::string_view what) {
  const auto step = std::ranges::find_if(
      course.steps, [&](const Step& one) { return one.what.find(what) != std::string::npos; });
  if (step == course.steps.end()) throw std::out_of_range(std::string(what));
  return step->at;
}

bool has_reason(const ClassOutages& of, Drop reason) {
  return std::ranges::any_of(of.reasons, [&](const auto& one) { return one.first == reason; });
}

std::string tables(const node::NodeState& state) {
  std::string text;
  for (const node::RouteMatch& match : node::main_table(state))
    text += node::to_string(match.destination, match.route) + "\n";
  return text;
}

// networking-calico pull request 229: the routes of BIRD stay after the overlay is switched off
// until cleanup-routes runs on their node.
TEST(Simulate, StaleBirdRoutesInterruptConnectionsBetweenSubnetsUntilTheirNodesAreCleanedUp) {
  Loaded loaded = aws_shoot(Target::Routed);
  loaded.transition.beyond_subnet = BeyondSubnet::Unreachable;
  const SwitchResult course = simulate(loaded.transition, strategy("routes-first"), {}, 1);
  const ClassOutages across = of_class(loaded, course, PairClass::AcrossZones);
  EXPECT_GT(across.affected, 0u);
  EXPECT_EQ(across.lasting, 0u);
  EXPECT_TRUE(has_reason(across, Drop::UnreachableRoute));
  EXPECT_GE(*across.first_begin, time_of(course, "IPPools"));
  for (const Outage& outage : course.outages) {
    const std::string& from = loaded.transition.from.nodes[outage.from].member().name;
    const std::string& to = loaded.transition.from.nodes[outage.to].member().name;
    const Picos last = std::max(time_of(course, from + ": cleanup-routes"),
                                time_of(course, to + ": cleanup-routes"));
    EXPECT_LE(*outage.end, last);
  }
  EXPECT_EQ(of_class(loaded, course, PairClass::WithinZone).affected, 0u)
      << "a plain route to a node of the same subnet works";
}

TEST(Simulate, UnreachableRoutesToANodeAreWithdrawnAfterTheGracefulRestartTime) {
  const Loaded loaded = shoot_on("gcp", Target::Routed, 20);
  const auto outages = [&](Picos graceful_restart) {
    const Timing timing{.graceful_restart = graceful_restart};
    return simulate(loaded.transition, strategy("routes-first"), timing, 1);
  };
  const SwitchResult kept = outages(seconds(3600));
  const SwitchResult usual = outages(seconds(120));
  ASSERT_EQ(kept.outages.size(), usual.outages.size());
  std::size_t shorter = 0;
  for (std::size_t i = 0; i < usual.outages.size(); ++i) {
    const Outage& outage = usual.outages[i];
    const auto replaced = [&](std::uint32_t node) {
      return time_of(usual, loaded.transition.from.nodes[node].member().name + ": pod is replaced");
    };
    const Picos withdrawn = replaced(outage.to) + seconds(120);
    // Otherwise BIRD of the sender has ended before, and its routes stay until cleanup-routes.
    if (replaced(outage.from) > withdrawn) {
      EXPECT_LE(*outage.end, withdrawn);
    }
    EXPECT_LE(*outage.end, *kept.outages[i].end);
    shorter += outage.end < kept.outages[i].end;
  }
  EXPECT_GT(shorter, 50u);
}

TEST(Simulate, WithoutUnreachableRoutesNothingIsInterruptedOnceCloudRoutesExist) {
  const Loaded loaded = aws_shoot(Target::Routed);
  EXPECT_TRUE(simulate(loaded.transition, strategy("routes-first"), {}, 1).outages.empty());
}

// gardener pull requests 13332 and 13346: the ControlPlane is ready before the routes exist.
TEST(Simulate, PodsAreUnreachableAsLongAsTheirCloudRouteIsNotThere) {
  const Loaded loaded = aws_shoot(Target::Routed);
  const Timing slow{.aws_call = seconds(5)};
  const SwitchResult today = simulate(loaded.transition, strategy("today"), slow, 1);
  const ClassOutages across = of_class(loaded, today, PairClass::AcrossZones);
  EXPECT_GT(across.affected, 0u);
  EXPECT_TRUE(has_reason(across, Drop::FabricNoRoute));
  EXPECT_LE(*across.last_end, time_of(today, "all routes are there"));
  EXPECT_TRUE(simulate(loaded.transition, strategy("seamless"), slow, 1).outages.empty())
      << "the gate waits for the routes";
}

TEST(Simulate, DeletingAllPodsShortensTheOutage) {
  Loaded loaded = aws_shoot(Target::Routed, 12);
  loaded.transition.beyond_subnet = BeyondSubnet::Unreachable;
  const auto longest = [&](std::string_view name) {
    const SwitchResult course = simulate(loaded.transition, strategy(name), {}, 1);
    return of_class(loaded, course, PairClass::AcrossZones).longest;
  };
  EXPECT_LT(longest("delete-pods"), longest("today") / 2);
}

TEST(Simulate, AControllerThatWritesConditionsInEachPassSavesTheNodes) {
  const Loaded loaded = shoot_on("gcp", Target::Routed);
  const SwitchResult course = simulate(loaded.transition, strategy("routes-first"), {}, 1);
  EXPECT_THROW(time_of(course, "marks the node"), std::out_of_range) << "they are protected";
  const SwitchResult today = simulate(loaded.transition, strategy("today"), {}, 1);
  EXPECT_LE(time_of(today, "writes the condition of"),
            time_of(today, "marks the node") + Timing{}.route_period * 6);
  EXPECT_TRUE(today.replaced_nodes.empty());
}

// networking-calico pull requests 229 and 324: the nodes' range is not masqueraded from the change
// of the IPPools on, and the rules for the nameserver in it come with the new pods.
TEST(Simulate, QueriesToANameserverOfTheNodesRangeAreNotMasqueradedForAWhile) {
  const Loaded loaded = aws_shoot(Target::Routed);
  const SwitchResult course = simulate(loaded.transition, strategy("routes-first"), {}, 1,
                                       {.watched = Watched::AllTraffic});
  EXPECT_TRUE(course.node_to_pod.empty());
  EXPECT_TRUE(course.pod_to_node.empty());
  ASSERT_EQ(course.unmasqueraded.size(), loaded.transition.nodes());
  for (const Outage& outage : course.unmasqueraded) {
    const std::string& name = loaded.transition.from.nodes[outage.from].member().name;
    EXPECT_LE(outage.begin, std::max(time_of(course, "IPPools") + Timing{}.felix_pools,
                                     time_of(course, name + ": Felix")));
    EXPECT_EQ(outage.end, time_of(course, name + ": Felix") + Timing{}.nameserver_rules);
  }
  const Loaded gcp = shoot_on("gcp", Target::Routed);
  EXPECT_TRUE(simulate(gcp.transition, strategy("today"), {}, 1, {.watched = Watched::AllTraffic})
                  .unmasqueraded.empty())
      << "its nameserver is a link-local address";
}

TEST(Simulate, NodesLoseThePodsOfNodesWithoutCloudRoute) {
  const Loaded loaded = aws_shoot(Target::Routed);
  const Timing slow{.aws_call = seconds(5)};
  const SwitchResult course =
      simulate(loaded.transition, strategy("today"), slow, 1, {.watched = Watched::AllTraffic});
  ASSERT_FALSE(course.node_to_pod.empty());
  for (const Outage& outage : course.node_to_pod) {
    EXPECT_GE(outage.begin, time_of(course, "IPPools"));
    EXPECT_LE(*outage.end, time_of(course, "all routes are there"));
  }
}

// provider-aws issue 691: the route table is full.
TEST(Simulate, NodesBeyondTheQuotaStayUnreachable) {
  derive::DeriveOptions derive;
  derive.landscape.route_quotas[provider::Provider::Aws] =
      6;  // Two of the six routes belong to no node.
  const Loaded loaded = aws_shoot(Target::Routed, 6, derive);
  const SwitchResult course = simulate(loaded.transition, strategy("today"), {}, 1);
  EXPECT_TRUE(course.network_applied);
  const ClassOutages within = of_class(loaded, course, PairClass::WithinZone);
  EXPECT_GT(within.lasting, 0u);
  for (const Outage& outage : course.outages)
    if (!outage.end) {
      const std::uint32_t last = std::max(outage.from, outage.to);
      EXPECT_GE(last, 4u);
    }
}

TEST(Simulate, TheRouteControllerMissesWhatTheQuotaRefusedByHand) {
  derive::DeriveOptions derive;
  derive.landscape.route_quotas[provider::Provider::Aws] = 6;
  const Loaded loaded = aws_shoot(Target::Routed, 6, derive);
  const SwitchResult course = simulate(loaded.transition, strategy("routes-first"), {}, 1);
  EXPECT_EQ(time_of(course, "misses 4 routes"), time_of(course, "starts"));
  EXPECT_GT(time_of(course, "4 routes refused"), time_of(course, "starts"));
}

TEST(Simulate, TheGateNeverOpensWhenANodeGetsNoRoute) {
  derive::DeriveOptions derive;
  derive.landscape.route_quotas[provider::Provider::Aws] = 6;
  const Loaded loaded = aws_shoot(Target::Routed, 6, derive);
  const SwitchResult course = simulate(loaded.transition, strategy("seamless"), {}, 1);
  EXPECT_FALSE(course.network_applied);
  EXPECT_TRUE(course.outages.empty()) << "the overlay stays";
}

// networking-calico pull request 215: BIRD is ready only with a peer, so that a single replaced pod
// never becomes ready.
TEST(Simulate, OnePodAtATimeNeverBecomesReadyWhenTheOverlayIsSwitchedOn) {
  const Loaded loaded = aws_shoot(Target::Ipip);
  Strategy one_at_a_time = strategy("today");
  one_at_a_time.max_unavailable = 1;
  EXPECT_EQ(simulate(loaded.transition, one_at_a_time, {}, 1).unfinished_pods, 6u);
  EXPECT_EQ(simulate(loaded.transition, strategy("today"), {}, 1).unfinished_pods, 0u);
}

TEST(Simulate, SwitchingTheOverlayOnInterruptsNothingWhileTheCloudRoutesStay) {
  const Loaded loaded = aws_shoot(Target::Ipip, 8);
  for (const std::uint64_t seed : {1u, 2u, 3u})
    EXPECT_TRUE(simulate(loaded.transition, strategy("today"), {}, seed).outages.empty());
}

// cilium issue 9680: nodes in different modes do not reach each other. Without overlay, BIRD writes
// routes on OpenStack and if createPodRoutes is set.
TEST(Simulate, NodesWithTunl0DoNotReachThoseWithoutWhenBirdRanBefore) {
  const Loaded loaded =
      shoot_on("aws", Target::Ipip, 6, {}, "calico", "{enabled: false, createPodRoutes: true}");
  const SwitchResult course = simulate(loaded.transition, strategy("today"), {}, 1);
  ASSERT_FALSE(course.outages.empty());
  for (const Outage& outage : course.outages) {
    const auto name = [&](std::uint32_t node) {
      return loaded.transition.from.nodes[node].member().name;
    };
    EXPECT_GE(outage.begin, time_of(course, name(outage.from) + " has 5 BGP sessions"));
    EXPECT_EQ(outage.end, time_of(course, name(outage.to) + ": Felix"));
  }
  EXPECT_EQ(tables(course.end.nodes[0]), tables(loaded.transition.to.nodes[0]));
}

TEST(Simulate, ARollbackKeepsPodsThatWereNotReplacedAndRestoresAllStates) {
  for (const Target to : {Target::Routed, Target::Ipip}) {
    const Loaded loaded = shoot_on("gcp", to, 20);
    const SwitchResult course =
        simulate(loaded.transition, strategy("today"), {}, 1,
                 {.disturbance = Disturbance{Disturbance::Kind::Rollback, seconds(90)}});
    const Picos back = time_of(course, "changes the Shoot back");
    EXPECT_EQ(back, seconds(90));
    std::size_t replaced = 0;
    std::size_t replaced_back = 0;
    for (const Step& step : course.steps) {
      if (step.what.find(": pod is replaced") == std::string::npos) continue;
      ++(step.at < back + seconds(85) ? replaced : replaced_back);
    }
    EXPECT_LT(replaced, loaded.transition.nodes());
    EXPECT_EQ(replaced_back, replaced) << "only those that had been";
    EXPECT_EQ(course.unfinished_pods, 0u);
    for (std::uint32_t node = 0; node < loaded.transition.nodes(); ++node) {
      EXPECT_EQ(tables(course.end.nodes[node]), tables(loaded.transition.from.nodes[node])) << node;
      EXPECT_EQ(*course.end.nodes[node].filter, *loaded.transition.from.nodes[node].filter);
    }
    for (const Outage& outage : course.outages)
      EXPECT_TRUE(outage.end) << outage.from << " to " << outage.to;
  }
}

// The hash of the config map in the DaemonSet's template, which triggers the roll-out, changes one
// reconciliation late.
TEST(Simulate, ARollbackOfCiliumBeforeItsPodsAreReplacedInterruptsNothing) {
  const auto rolled_back = [](const Loaded& loaded, Picos at) {
    return simulate(loaded.transition, strategy("today"), {}, 1,
                    {.disturbance = Disturbance{Disturbance::Kind::Rollback, at}});
  };
  for (const Target to : {Target::Routed, Target::Geneve}) {
    const Loaded loaded = cilium_shoot(to);
    const SwitchResult early = rolled_back(loaded, seconds(90));
    EXPECT_TRUE(early.outages.empty());
    EXPECT_NO_THROW(time_of(early, fmt::format("node-1: the agent has loaded the datapath: {}",
                                               mode_name(loaded.transition.before.dataplane))));
    const SwitchResult late = rolled_back(loaded, seconds(150));
    EXPECT_FALSE(late.outages.empty());
    for (const SwitchResult* course : {&early, &late}) {
      EXPECT_EQ(course->unfinished_pods, 0u);
      for (const Outage& outage : course->outages)
        EXPECT_TRUE(outage.end) << outage.from << " to " << outage.to;
      for (std::uint32_t node = 0; node < loaded.transition.nodes(); ++node)
        EXPECT_EQ(tables(course->end.nodes[node]), tables(loaded.transition.from.nodes[node]));
    }
  }
}

SimulateOptions scale_up_at(Picos at) {
  return {.disturbance = Disturbance{Disturbance::Kind::ScaleUp, at}};
}

/// The switch with its last node joining later.
Loaded joined_by_one(Loaded loaded) {
  loaded.transition.joining = 1;
  return loaded;
}

// provider-aws pull request 591: the route controller creates a new node's route in its next pass.
TEST(Simulate, ANodeThatJoinsInTheNewModeWaitsForItsCloudRoute) {
  const Loaded loaded = joined_by_one(aws_shoot(Target::Routed, 7));
  const SwitchResult course =
      simulate(loaded.transition, strategy("routes-first"), {}, 1, scale_up_at(seconds(100)));
  EXPECT_EQ(time_of(course, "node-7 joins, in the new mode"), seconds(100));
  EXPECT_TRUE(course.outages.empty()) << "until then it takes no pods";
  EXPECT_GE(course.presence[6].begin, time_of(course, "all routes are there"));
  EXPECT_LT(course.presence[6].begin, seconds(130));
  EXPECT_EQ(tables(course.end.nodes[6]), tables(loaded.transition.to.nodes[6]));
  EXPECT_EQ(course.end.nodes[6].find_device("tunl0"), nullptr) << "it never had one";
}

TEST(Simulate, ANodeThatJoinsBeforeTheNetworkChangesIsAsTheOthers) {
  const Loaded loaded = joined_by_one(aws_shoot(Target::Routed, 7));
  const SwitchResult course =
      simulate(loaded.transition, strategy("today"), {}, 1, scale_up_at(seconds(20)));
  EXPECT_EQ(time_of(course, "node-7 joins, in the old mode"), seconds(20));
  EXPECT_NO_THROW(time_of(course, "node-7: pod is replaced"));
  for (const Outage& outage : course.outages)
    EXPECT_GE(outage.begin, time_of(course, "IPPools"));
  EXPECT_EQ(tables(course.end.nodes[6]), tables(loaded.transition.to.nodes[6]));
}

TEST(Simulate, ANodeThatJoinsWithTheOverlayReachesOldNodesWhenTheyFollow) {
  const Loaded loaded = joined_by_one(aws_shoot(Target::Ipip, 7));
  const SwitchResult course =
      simulate(loaded.transition, strategy("today"), {}, 1, scale_up_at(seconds(100)));
  ASSERT_FALSE(course.outages.empty()) << "no controller creates its cloud route any more";
  for (const Outage& outage : course.outages) {
    const std::uint32_t peer = std::min(outage.from, outage.to);
    EXPECT_EQ(std::max(outage.from, outage.to), 6u);
    const std::string& name = loaded.transition.from.nodes[peer].member().name;
    EXPECT_EQ(*outage.end, std::max(time_of(course, name + " has"), time_of(course, "node-7 has")));
  }
  EXPECT_EQ(tables(course.end.nodes[6]), tables(loaded.transition.to.nodes[6]));
}

/// The switch with the second half of its nodes joining later.
Loaded joined_by_as_many(Loaded loaded) {
  loaded.transition.joining = loaded.transition.nodes() / 2;
  return loaded;
}

SimulateOptions with(Disturbance::Kind kind, Picos at) {
  return {.disturbance = Disturbance{kind, at}};
}

std::uint64_t routes_in_the_cloud(const SwitchResult& course) {
  std::uint64_t routes = 0;
  for (const node::RouteTable& table : course.end.fabric.route_tables)
    for (const auto& [prefix, route] : table.routes)
      routes += route.owner == node::FabricRouteOwner::RouteController;
  return routes;
}

TEST(Simulate, AWorkerRollReplacesOneMachineAfterAnotherWithoutAnOutageOfItsOwn) {
  for (const Target to : {Target::Routed, Target::Ipip}) {
    const Loaded loaded = joined_by_as_many(aws_shoot(to, 12));
    const SwitchResult plain = simulate(loaded.transition, strategy("today"), {}, 1);
    const SwitchResult course = simulate(loaded.transition, strategy("today"), {}, 1,
                                         with(Disturbance::Kind::WorkerRoll, {}));
    EXPECT_EQ(course.outages.size(), plain.outages.size()) << "the switch is over by then";
    for (std::uint32_t node = 0; node < 6; ++node) {
      const Interval old = course.presence[node];
      const Interval its_new = course.presence[node + 6];
      EXPECT_LT(its_new.begin, old.end) << "it takes pods before the old one is drained";
      EXPECT_EQ(its_new.end, kNever);
      EXPECT_GT(its_new.begin, node == 0 ? Picos{} : course.presence[node - 1].end);
      EXPECT_TRUE(course.end.stopped.contains(node));
    }
    EXPECT_EQ(path::Reachability(course.end).delivered(), 30u) << "between all new nodes";
    EXPECT_EQ(routes_in_the_cloud(course), 12u) << "in two tables: of new nodes, or of old ones";
    EXPECT_FALSE(course.stuck_node);
  }
}

// The route table has no room for a new node before the old node has left.
TEST(Simulate, AWorkerRollStopsWhereTheRouteTableIsFull) {
  derive::DeriveOptions derive;
  derive.landscape.route_quotas[provider::Provider::Aws] = 8;
  const Loaded loaded = joined_by_as_many(aws_shoot(Target::Routed, 12, derive));
  ASSERT_EQ(simulate(loaded.transition, strategy("routes-first"), {}, 1).outages.size(), 0u);
  const SwitchResult course = simulate(loaded.transition, strategy("routes-first"), {}, 1,
                                       with(Disturbance::Kind::WorkerRoll, {}));
  ASSERT_EQ(course.stuck_node, 6u);
  EXPECT_EQ(course.presence[6].begin, kNever);
  EXPECT_EQ(course.presence[0].end, kNever) << "no old node is drained";
  EXPECT_TRUE(course.outages.empty());
}

TEST(Simulate, NodesOfAShootThatIsWokenUpAreAllInTheNewMode) {
  for (const Loaded& loaded :
       {joined_by_as_many(aws_shoot(Target::Routed, 12)),
        joined_by_as_many(aws_shoot(Target::Ipip, 12)),
        joined_by_as_many(shoot_on("gcp", Target::Routed, 12)),
        joined_by_as_many(shoot_on("azure", Target::Routed, 12, {}, "cilium"))}) {
    const SwitchResult course = simulate(loaded.transition, strategy("routes-first"), {}, 1,
                                         with(Disturbance::Kind::Hibernate, seconds(100)));
    const Picos asleep = course.presence[0].end;
    for (std::uint32_t node = 0; node < 6; ++node) {
      EXPECT_EQ(course.presence[node].end, asleep);
      EXPECT_GT(course.presence[node + 6].begin, asleep + seconds(8 * 3600));
      EXPECT_NE(course.presence[node + 6].begin, kNever);
    }
    for (const Outage& outage : course.outages)
      EXPECT_LT(outage.begin, asleep) << outage.from << " to " << outage.to;
    EXPECT_EQ(path::Reachability(course.end).delivered(), 30u) << "between all new nodes";
  }
}

// While there are no nodes, no node lacks its route.
TEST(Simulate, AHibernationOpensAGateThatStaysShut) {
  derive::DeriveOptions derive;
  derive.landscape.route_quotas[provider::Provider::Aws] = 6;
  const Loaded loaded = joined_by_as_many(aws_shoot(Target::Routed, 12, derive));
  ASSERT_FALSE(simulate(loaded.transition, strategy("seamless"), {}, 1).network_applied);
  const SwitchResult course = simulate(loaded.transition, strategy("seamless"), {}, 1,
                                       with(Disturbance::Kind::Hibernate, seconds(300)));
  EXPECT_TRUE(course.network_applied);
  EXPECT_GT(time_of(course, "IPPools"), course.presence[0].end);
}

TEST(Simulate, ALaterChangeOfTheShootRollsCiliumsPodsAsWell) {
  const Loaded loaded = joined_by_as_many(shoot_on("azure", Target::Routed, 12, {}, "cilium"));
  const SwitchResult course =
      simulate(loaded.transition, strategy("today"), {.next_reconcile = seconds(24 * 3600)}, 1,
               with(Disturbance::Kind::WorkerRoll, seconds(1000)));
  EXPECT_EQ(time_of(course, "reconciles again"), seconds(1085));
}

// gardener-extension-provider-gcp, docs/usage/ipv6.md: routes are deleted, and ranges of the
// interfaces take their place, one machine after another.
TEST(Simulate, OnGcpPodsAreUnreachableUntilTheirInterfaceHasTheirRange) {
  for (const char* cni : {"calico", "cilium"}) {
    const Loaded loaded = shoot_on("gcp", Target::DualStack, 5, {}, cni);
    ASSERT_EQ(loaded.transition.nodes_at_start(), 5u);
    const SwitchResult course = simulate(loaded.transition, loaded.strategies.front(), {}, 1);
    const Picos deleted = time_of(course, "routes to pods are deleted");
    EXPECT_EQ(course.outages.size(), 20u);
    for (const Outage& outage : course.outages) {
      EXPECT_EQ(outage.begin, deleted);
      EXPECT_EQ(outage.end, time_of(course, fmt::format("interface of node-{}", outage.to + 1)));
    }
    EXPECT_EQ(routes_in_the_cloud(course), 0u);
    EXPECT_EQ(path::Reachability(course.end).delivered(), 20u) << "between all new nodes";
    const Picos network = time_of(course, "changed: IPv4 and IPv6");
    for (std::uint32_t node = 0; node < 5; ++node) {
      EXPECT_LT(course.presence[node].end, network);
      EXPECT_LT(course.presence[node + 5].begin, network);
    }
  }
}

TEST(Simulate, ElsewhereTheFirstFamilyIsNotInterruptedByTheSecond) {
  const Loaded loaded = aws_shoot(Target::DualStack);
  const SwitchResult course = simulate(loaded.transition, loaded.strategies.front(), {}, 1,
                                       {.watched = Watched::AllTraffic});
  EXPECT_TRUE(course.outages.empty());
  EXPECT_TRUE(course.unmasqueraded.empty()) << "rules of nameservers stay";
  EXPECT_TRUE(course.ended.empty());
  EXPECT_EQ(routes_in_the_cloud(course), 12u) << "of new nodes, in two tables";
  EXPECT_EQ(course.unfinished_pods, 0u);
}

// On GCP, the interfaces of machines keep their IPv6 ranges.
TEST(Simulate, BackToOneFamilyTheOtherOneGoesOn) {
  for (const char* manifest : {"shoot-gcp-dual-stack.yaml", "shoot-aws-dual-stack.yaml"}) {
    const auto loaded = load({.paths = {runner::testing::manifest(manifest)},
                              .subject = {.shoot = {}, .nodes = 4},
                              .to = Target::SingleStack});
    ASSERT_TRUE(loaded) << manifest;
    const Transition& transition = loaded->transition;
    const SwitchResult course = simulate(transition, loaded->strategies.front(), {}, 1);
    EXPECT_TRUE(course.outages.empty()) << manifest;
    EXPECT_EQ(path::Reachability(course.end).delivered(), 12u) << "between all new nodes";
    EXPECT_LT(time_of(course, "changed: IPv4"), course.presence[0].end);
    const bool by_routes =
        transition.after.dataplane.cloud_routes == effective::CloudRoutes::Written;
    EXPECT_EQ(by_routes, transition.before.provider_name == "aws");
    EXPECT_EQ(std::ranges::none_of(course.end.fabric.instances[4].prefixes, &IpPrefix::is_ipv4),
              by_routes);
  }
}

TEST(Simulate, ARollbackWaitsForTheReconciliationAtHand) {
  const Loaded loaded = aws_shoot(Target::Routed);
  const SwitchResult course =
      simulate(loaded.transition, strategy("today"), {}, 1,
               {.disturbance = Disturbance{Disturbance::Kind::Rollback, seconds(5)}});
  EXPECT_EQ(time_of(course, "changes the Shoot back"), time_of(course, "IPPools"));
}

TEST(Simulate, CiliumNodesAreCutOffFromThoseOfTheOtherModeUntilTheyFollow) {
  for (const Target to : {Target::Routed, Target::Vxlan}) {
    const Loaded loaded = cilium_shoot(to);
    const SwitchResult course = simulate(loaded.transition, strategy("routes-first"), {}, 1);
    const auto start_of = [&](std::uint32_t node) {
      return time_of(course, loaded.transition.to.nodes[node].member().name + ": the agent");
    };
    for (std::uint32_t a = 0; a < loaded.transition.nodes(); ++a)
      for (std::uint32_t b = 0; b < a; ++b) {
        Picos begin = seconds(1'000'000);
        Picos end;
        for (const Outage& outage : course.outages) {
          if (std::minmax(outage.from, outage.to) != std::minmax(a, b)) continue;
          begin = std::min(begin, outage.begin);
          end = std::max(end, outage.end.value());
        }
        const auto [first, second] = std::minmax({start_of(a), start_of(b)});
        EXPECT_EQ(begin, first);
        EXPECT_EQ(end, second);
      }
  }
}

TEST(Simulate, CiliumReplacesItsPodsOnlyAtTheNextReconciliation) {
  const Loaded loaded = cilium_shoot(Target::Routed);
  const SwitchResult course =
      simulate(loaded.transition, strategy("today"), {.next_reconcile = seconds(3600)}, 1);
  const Picos changed = time_of(course, "config map cilium-config is changed");
  EXPECT_EQ(time_of(course, "reconciles again"), changed + seconds(3600));
  for (const Outage& outage : course.outages)
    EXPECT_GT(outage.begin, changed + seconds(3600));
  EXPECT_FALSE(course.outages.empty());
}

TEST(Simulate, AtTheEndTheNodesRouteAndFilterAsTheTargetSays) {
  for (const Loaded& loaded : {aws_shoot(Target::Routed), aws_shoot(Target::Ipip),
                               cilium_shoot(Target::Routed), cilium_shoot(Target::Geneve)}) {
    const SwitchResult course = simulate(loaded.transition, strategy("today"), {}, 1);
    for (std::uint32_t i = 0; i < loaded.transition.nodes(); ++i) {
      const node::NodeState& target = loaded.transition.to.nodes[i];
      EXPECT_EQ(tables(course.end.nodes[i]), tables(target));
      EXPECT_EQ(*course.end.nodes[i].filter, *target.filter);
      for (const node::Device& device : target.devices)
        EXPECT_NE(course.end.nodes[i].find_device(device.name), nullptr);
    }
    for (const PodRoute& route : missing_routes(loaded.transition))
      EXPECT_NE(course.end.fabric.route_tables[route.table].routes.find(route.pod_cidr), nullptr);
  }
}

/// A cluster with one Service whose nodes track connections, before and after a switch.
class Established {
 public:
  explicit Established(Loaded loaded) : loaded_(std::move(loaded)) {
    Transition& transition = loaded_.transition;
    for (compile::Compiled* states : {&transition.from, &transition.to}) {
      auto filter = std::make_shared<node::PacketFilter>(*states->nodes.front().filter);
      filter->tracking = node::Tracking::All;
      for (node::NodeState& node : states->nodes)
        node.filter = filter;
    }
    const auto& pod = transition.from.nodes[kServer].pods.front().address;
    const node::Service service{.front = {kService, kPort, forward::kUdp},
                                .endpoints = {{pod, kPort}}};
    EXPECT_TRUE(compile::add_services({service}, transition.before, 1, transition.from));
    world_ = world_at_start(transition, strategy("routes-first"));
    sender_.emplace(world_.nodes, world_.fabric);
  }

  const node::NodeState& node(std::uint32_t number) const { return world_.nodes[number]; }

  /// Sends a packet from a node or its pod. Returns the drop reason, if any.
  std::optional<Drop> send(IpAddress source, IpAddress destination) {
    const auto packet =
        forward::PacketBuilder::udp(source, destination).ports(40'000, kPort).build();
    const forward::Walk& walk = sender_->send(kClient, packet);
    seen_ = walk.packet.inner.source;
    answer_ = path::answer_packet(walk.packet);
    return walk.drop;
  }
  /// Sends the answer to the last packet.
  std::optional<Drop> answer() { return sender_->send(kServer, answer_).drop; }
  /// The client's address, as the server saw it.
  IpAddress seen() const { return seen_; }

  /// Switches the mode and returns the recorded course.
  SwitchResult switch_mode() {
    SwitchResult course = simulate(loaded_.transition, strategy("routes-first"), {}, 1,
                                   {.watched = Watched::AllTraffic});
    for (std::uint32_t node = 0; node < world_.nodes.size(); ++node)
      world_.nodes[node] = course.end.nodes[node];
    world_.fabric = course.end.fabric;
    return course;
  }

  static constexpr std::uint32_t kClient = 0;
  static constexpr std::uint32_t kServer = 3;
  static constexpr std::uint16_t kPort = 80;
  static inline const IpAddress kService = IpAddress::parse("100.64.0.10").value();

 private:
  Loaded loaded_;
  node::World world_;
  std::optional<forward::WalkSender> sender_;
  IpAddress seen_;
  forward::Packet answer_;
};

TEST(Simulate, EstablishedConnectionsGoOnButForThoseThatLeaveThroughAnotherDevice) {
  for (const Loaded& loaded : {aws_shoot(Target::Routed), aws_shoot(Target::Ipip),
                               shoot_on("gcp", Target::Routed), shoot_on("gcp", Target::Ipip)}) {
    Established established(loaded);
    constexpr auto kClient = Established::kClient;
    constexpr auto kServer = Established::kServer;
    const IpAddress client_pod = established.node(kClient).pods.front().address;
    const IpAddress server_pod = established.node(kServer).pods.front().address;
    const IpAddress client = established.node(kClient).member().ipv4->node;
    const IpAddress server = established.node(kServer).member().ipv4->node;
    const auto with_answer = [&](const std::optional<Drop>& drop) {
      return drop ? drop : established.answer();
    };
    const auto pod_to_pod = [&] { return with_answer(established.send(client_pod, server_pod)); };
    const auto pod_to_node = [&] { return with_answer(established.send(client_pod, server)); };
    const auto by_service = [&] { return established.send(client, Established::kService); };
    ASSERT_EQ(pod_to_pod(), std::nullopt);
    ASSERT_EQ(by_service(), std::nullopt);
    ASSERT_EQ(pod_to_node(), std::nullopt);
    const IpAddress seen = established.seen();
    const SwitchResult course = established.switch_mode();
    EXPECT_EQ(pod_to_pod(), std::nullopt);
    EXPECT_EQ(pod_to_node(), std::nullopt);
    EXPECT_EQ(established.seen(), seen) << "under the address that it had";
    EXPECT_EQ(by_service(), Drop::NatDeviceChanged);
    EXPECT_EQ(by_service(), std::nullopt) << "a new one";
    EXPECT_EQ(course.ended.size(), 30u);
  }
}

TEST(Simulate, OnlyATunnelIsTooSmallForDatagramsOfPodsThatWereThereBefore) {
  const auto run = [](const Loaded& loaded) {
    return simulate(loaded.transition, strategy("today"), {}, 1, {.watched = Watched::AllTraffic});
  };
  const SwitchResult to_ipip = run(aws_shoot(Target::Ipip));
  ASSERT_EQ(to_ipip.full_size.size(), 30u);
  for (const Outage& outage : to_ipip.full_size) {
    EXPECT_EQ(outage.reason, Drop::MtuExceeded);
    EXPECT_FALSE(outage.end);
  }
  EXPECT_TRUE(run(aws_shoot(Target::Routed)).full_size.empty());
}

TEST(Simulate, OutagesAreThoseOfWalksBetweenAllPairs) {
  const Loaded loaded = aws_shoot(Target::Routed);
  derive::DeriveOptions derive;
  derive.landscape.route_quotas[provider::Provider::Aws] = 6;
  const Loaded limited = aws_shoot(Target::Routed, 6, derive);
  for (const Loaded* one : {&loaded, &limited}) {
    const SwitchResult course = simulate(one->transition, strategy("today"), {}, 1);
    const path::Reachability anew(course.end);
    std::map<std::pair<std::uint32_t, std::uint32_t>, bool> lasting;
    for (const Outage& outage : course.outages)
      if (!outage.end) lasting[{outage.from, outage.to}] = true;
    for (std::uint32_t from = 0; from < one->transition.nodes(); ++from)
      for (std::uint32_t to = 0; to < one->transition.nodes(); ++to)
        EXPECT_EQ(anew.outcome(from, to).drop.has_value(), lasting.contains({from, to}));
  }
}

TEST(Simulate, DependsOnTheSeedAndOnNothingElse) {
  const Loaded loaded = aws_shoot(Target::Routed);
  const auto ends = [&](std::uint64_t seed) {
    std::vector<std::int64_t> times;
    for (const Outage& outage : simulate(loaded.transition, strategy("today"), {}, seed).outages)
      times.push_back(outage.end->count);
    return times;
  };
  EXPECT_EQ(ends(1), ends(1));
  EXPECT_NE(ends(1), ends(2));
}

// The address of a machine on GCP is a /32, so that no two nodes are neighbours.
TEST(Simulate, OnGcpEveryConnectionIsInterruptedByUnreachableRoutes) {
  Loaded loaded = shoot_on("gcp", Target::Routed);
  const auto run = [&] { return simulate(loaded.transition, strategy("routes-first"), {}, 1); };
  const SwitchResult course = run();
  for (const ClassOutages& of : by_class(course.outages, loaded.zones))
    EXPECT_GE(of.affected, of.connections - 1) << "two pods may be replaced before BIRD reloads";
  loaded.transition.beyond_subnet = BeyondSubnet::Gateway;
  EXPECT_TRUE(run().outages.empty());
}

TEST(Simulate, TcpResumesAtMostWithTheLatestRetransmissionAfterAnOutage) {
  EXPECT_EQ(tcp_stall({}), Picos{});
  // The loss probe after 52 ticks of 4 ms at most, and a timeout as long.
  EXPECT_EQ(tcp_stall(milliseconds(150)), milliseconds(416));
  // Then timeouts of 102 + 8, 204 + 8, 408 + 8 and 816 + 64 ticks.
  EXPECT_EQ(tcp_stall(seconds(5)), milliseconds(6888));
  // And of 1,632 + 64, 3,264 + 64 and 6,528 + 512 ticks.
  EXPECT_EQ(tcp_stall(seconds(30)), milliseconds(55'144));
  EXPECT_EQ(tcp_stall(seconds(900)), std::nullopt) << "after 15 retransmissions";
}

/// Simulates datagrams, and requests over one connection, between all pairs of nodes, with the same
/// components as the switch.
TEST(Simulate, PacketsFareAsTheOutagesSay) {
  const Loaded loaded = aws_shoot(Target::Routed, 4);
  const Transition& transition = loaded.transition;
  const Strategy& today = strategy("today");
  const Timing timing{.reconcile_start = seconds(1), .control_plane = seconds(1)};
  const SwitchResult course = simulate(transition, today, timing, 1);
  node::World start = world_at_start(transition, today);
  const run::Network network{.nodes = std::move(start.nodes),
                             .fabric = std::move(start.fabric),
                             .machines = std::vector<host::Machine>(transition.nodes())};
  std::vector<run::TrafficGroup> traffic;
  for (std::uint32_t a = 0; a < transition.nodes(); ++a)
    for (std::uint32_t b = 0; b < transition.nodes(); ++b) {
      if (a == b) continue;
      const run::PodPair pair{{a, transition.from.nodes[a].pods.front().address},
                              {b, transition.from.nodes[b].pods.front().address}};
      traffic.push_back({.name = "datagrams",
                         .kind = model::TrafficKind::Udp,
                         .pairs = {pair},
                         .rate = {80'000},  // One datagram every 10 ms.
                         .payload_bytes = 100});
      traffic.push_back({.name = "requests",
                         .kind = model::TrafficKind::RequestResponse,
                         .pairs = {pair},
                         .request_bytes = 100,
                         .response_bytes = 100,
                         .think_time = milliseconds(50)});
    }
  const auto measured =
      run::run(network, traffic,
               {.duration = course.ended_at + seconds(100), .actors = [&](std::uint64_t) {
                  std::vector<std::unique_ptr<run::Actor>> actors;
                  actors.push_back(std::make_unique<Components>(transition, today, timing, 1));
                  return actors;
                }});
  ASSERT_TRUE(measured) << measured.error();
  const auto seconds_of = [](Picos time) { return static_cast<double>(time.count) / 1e12; };
  std::size_t interrupted = 0;
  std::size_t group = 0;
  for (std::uint32_t a = 0; a < transition.nodes(); ++a)
    for (std::uint32_t b = 0; b < transition.nodes(); ++b) {
      if (a == b) continue;
      Picos one_way;
      Picos both_ways;
      for (const Outage& outage : course.outages) {
        const Picos length = *outage.end - outage.begin;
        if (outage.from == a && outage.to == b) one_way = std::max(one_way, length);
        if (std::minmax(outage.from, outage.to) == std::minmax(a, b))
          both_ways = std::max(both_ways, length);
      }
      const auto longest = [&](std::size_t index) {
        const auto& interruptions = *measured->traffic[index].interruptions;
        return interruptions.interrupted == 0
                   ? 0.0
                   : static_cast<double>(interruptions.longest_ns.max()) / 1e9;
      };
      EXPECT_NEAR(longest(group), seconds_of(one_way), 0.3) << a << " to " << b;
      if (both_ways.count > 0) {
        ++interrupted;
        EXPECT_GE(longest(group + 1), seconds_of(both_ways) - 0.3);
        EXPECT_LE(longest(group + 1), 2.2 * seconds_of(both_ways) + 0.5);
      }
      group += 2;
    }
  EXPECT_GT(interrupted, 0u);
}

}  // namespace simulate_test
}  // namespace overlane::migration
