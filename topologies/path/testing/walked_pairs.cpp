#include "topologies/path/testing/walked_pairs.h"

#include <sstream>
#include <utility>

#include <gtest/gtest.h>

#include "dataplane/forward/packet_builder.h"
#include "topologies/graph/topology.h"
#include "topologies/path/testing/clusters.h"
#include "topologies/path/testing/random_changes.h"

namespace overlane::path::testing {

node::World world_of(const node::testing::ClusterShape& shape) {
  auto cluster = node::testing::make_cluster(shape);
  return {.nodes = std::move(cluster.nodes), .fabric = std::move(cluster.fabric)};
}

node::World world_of(const effective::EffectiveDataplane& shoot, std::uint32_t nodes) {
  const auto topology =
      graph::Topology::build({.shoot = &shoot, .nodes = nodes, .pods_per_node = 2});
  auto states = compile::compile(*topology, shoot).value();
  return {.nodes = std::move(states.nodes), .fabric = std::move(states.fabric)};
}

namespace {

using node::testing::ClusterShape;

/// Outcomes of all pairs, by sender, then by receiver.
using Outcomes = std::vector<PairOutcome>;

void print(const PairOutcome& outcome, std::ostream* out) {
  *out << (outcome.delivered() ? "delivered" : outcome.drop ? to_string(*outcome.drop) : "-");
}

/// A text such as "0 > 1: no-route, not delivered" for each pair that differs.
std::string differences(const Reachability& reachability, const Outcomes& expected,
                        std::size_t nodes, std::uint32_t probe = 0) {
  std::ostringstream text;
  for (std::uint32_t pair = 0; pair < expected.size(); ++pair) {
    const auto from = static_cast<std::uint32_t>(pair / nodes);
    const auto to = static_cast<std::uint32_t>(pair % nodes);
    const PairOutcome found = reachability.outcome(from, to, probe);
    if (found == expected[pair]) continue;
    text << from << " > " << to << ": ";
    print(found, &text);
    text << ", walked: ";
    print(expected[pair], &text);
    text << "\n";
  }
  return text.str();
}

/// The outcomes of a walk for every pair, with all steps and ICMP errors, which Reachability
/// avoids.
Outcomes all_walked(const node::World& world, const ReachProbe& probe) {
  const FirstPods pods = first_pods(world, probe.family);
  Outcomes outcomes;
  for (std::uint32_t from = 0; from < pods.size(); ++from) {
    for (std::uint32_t to = 0; to < pods.size(); ++to) {
      outcomes.emplace_back();
      if (from == to) continue;
      const auto packet = probe_packet(world, pods, probe, from, to);
      if (!packet) continue;
      forward::WalkSender sender(world.nodes, world.fabric, {.stopped = &world.stopped});
      forward::Walk walk = sender.send(from, *packet);
      if (probe.answer && walk.delivered()) {
        forward::WalkSender back(world.nodes, world.fabric, {.stopped = &world.stopped});
        walk = back.send(to, answer_packet(walk.packet));
      }
      outcomes.back() = {.is_probed = true, .drop = walk.drop};
    }
  }
  return outcomes;
}

ClusterShape shape_of(Encapsulation encapsulation, std::uint32_t nodes = 8) {
  return {.encapsulation = encapsulation, .nodes = nodes, .subnets = 2};
}

struct Start {
  std::string name;
  node::World world;
  ReachProbe probe;

  /// The probe, and another one that differs in both ends, in size and in whether it is answered.
  std::vector<ReachProbe> probes() const {
    const auto other = [](ProbeEnd end) {
      return end == ProbeEnd::Pod ? ProbeEnd::Node : ProbeEnd::Pod;
    };
    return {probe,
            {.family = probe.family,
             .from = other(probe.from),
             .to = other(probe.to),
             .answer = !probe.answer,
             .bytes = probe.bytes == 0 ? 100u : 0u}};
  }
};

std::vector<Start> starts(std::uint64_t turn) {
  std::vector<Start> starts;
  const auto nodes = static_cast<std::uint32_t>(6 + turn % 7);
  const std::uint32_t bytes = turn % 3 == 0 ? 0 : turn % 3 == 1 ? 100 : 1400;
  for (const Mode& mode : modes())
    starts.push_back({mode.name, world_of(mode.shoot, nodes), {.bytes = bytes}});
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    for (const auto& row : overlane::kEncapsulations) {
      ClusterShape shape = shape_of(row.encapsulation, nodes);
      shape.cross_subnet = turn % 2 == 1;
      shape.tunnel_map = turn % 4 == 1 && (row.encapsulation == Encapsulation::Vxlan ||
                                           row.encapsulation == Encapsulation::Geneve);
      if (!runs_over(row.encapsulation, shape.underlay)) shape.underlay = Family::Ipv6;
      starts.push_back({std::string(to_string(row.encapsulation)),
                        world_of(shape),
                        {.family = family, .bytes = bytes}});
    }
  }
  for (Start& start : starts) {
    start.probe.from = turn % 5 == 3 ? ProbeEnd::Node : ProbeEnd::Pod;
    start.probe.to = turn % 5 == 4 ? ProbeEnd::Node : ProbeEnd::Pod;
    start.probe.answer = turn % 5 > 1;
    if (turn % 2 == 0 || !start.world.fabric.groups.empty()) continue;
    start.world.fabric.groups = {{.name = "nodes",
                                  .rules = {{.source = node::RuleSource::GroupInterfaces},
                                            {.source = node::RuleSource::GroupAddresses}}}};
    for (node::Instance& instance : start.world.fabric.instances)
      instance.groups = {0};
  }
  return starts;
}

void expect_counts(const Reachability& reachability, const Outcomes& expected,
                   const std::string& what) {
  std::uint64_t delivered = 0;
  DropCounts drops;
  for (const PairOutcome& outcome : expected) {
    delivered += outcome.delivered() ? 1 : 0;
    if (outcome.drop) ++drops[*outcome.drop];
  }
  EXPECT_EQ(reachability.delivered(), delivered) << what;
  EXPECT_EQ(reachability.drops(), drops) << what;
}

/// The outcomes of walks of every probe, by probe.
std::vector<Outcomes> all_walked(const node::World& world, const std::vector<ReachProbe>& probes) {
  std::vector<Outcomes> outcomes;
  for (const ReachProbe& probe : probes)
    outcomes.push_back(all_walked(world, probe));
  return outcomes;
}

/// The changes between two times, by pair and then by probe.
std::vector<PairChange> changes_between(const std::vector<Outcomes>& before,
                                        const std::vector<Outcomes>& now, std::size_t nodes) {
  std::vector<PairChange> changes;
  for (std::uint32_t pair = 0; pair < now.front().size(); ++pair)
    for (std::uint32_t probe = 0; probe < now.size(); ++probe)
      if (before[probe][pair] != now[probe][pair])
        changes.push_back({static_cast<std::uint32_t>(pair / nodes),
                           static_cast<std::uint32_t>(pair % nodes), before[probe][pair],
                           now[probe][pair], probe});
  return changes;
}

void follow(const Start& start, std::uint64_t seed, int updates, Followed& seen) {
  node::World world = start.world;
  RandomChanges random(world, seed);
  const std::vector<ReachProbe> probes = start.probes();
  Reachability reachability(world, probes);
  std::vector<Outcomes> expected = all_walked(world, probes);
  const std::size_t nodes = world.nodes.size();
  const auto expect_all = [&](const std::string& what) {
    for (std::uint32_t probe = 0; probe < probes.size(); ++probe)
      ASSERT_EQ(differences(reachability, expected[probe], nodes, probe), "")
          << what << ", probe " << probe;
  };
  expect_all(start.name);
  for (int i = 0; i < updates && !::testing::Test::HasFatalFailure(); ++i) {
    const std::string what =
        start.name + ", seed " + std::to_string(seed) + ", update " + std::to_string(i);
    const auto changes = reachability.update(random.next());
    const std::vector<Outcomes> before = std::exchange(expected, all_walked(world, probes));
    expect_all(what);
    expect_counts(reachability, expected.front(), what);
    ASSERT_EQ(changes, changes_between(before, expected, nodes)) << what;
    const Reachability fresh(world, start.probe);
    ASSERT_EQ(differences(fresh, expected.front(), nodes), "") << what << ", computed anew";
    ++seen.updates;
    seen.pairs += expected.front().size() - nodes - fresh.not_probed();
    seen.delivered += fresh.delivered();
    seen.walks_of_updates += reachability.last_walks();
    seen.walks_of_fresh += fresh.walks();
    seen.changes += changes.size();
  }
}

}  // namespace

Followed follow_random_changes(std::uint64_t first_seed, std::uint64_t seeds, int updates) {
  Followed followed;
  for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
    for (const Start& start : starts(seed)) {
      follow(start, seed, updates, followed);
      if (::testing::Test::HasFatalFailure()) return followed;
    }
  }
  return followed;
}

}  // namespace overlane::path::testing
