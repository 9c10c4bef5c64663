#include "dataplane/dpdk/bench/load_tester.h"

#include <gtest/gtest.h>

#include "dataplane/dpdk/testing/wired_node.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::dpdk {
namespace load_tester_test {

using forward::Ingress;
using testing::cores;

/// A node of an IPIP cluster, and frames from its pods.
struct Bench {
  Bench(const std::string& name, std::optional<unsigned> core) {
    testing::eal();
    const auto nodes =
        node::testing::make_cluster({.encapsulation = Encapsulation::Ipip, .nodes = 5}).nodes;
    tester = *LoadTester::make(name, 8191, 32, core);
    tables = *generation(std::make_shared<const node::NodeState>(nodes[0]));
    for (std::size_t i = 0; i < tables->compiled.next_hops.size(); ++i) {
      const adjacency::NextHop& hop = tables->compiled.next_hops[i];
      const Port& port = hop.egress == forward::Egress::Pod ? tester->pods() : tester->uplink();
      tables->links->set(i, BenchTraffic::mac_of(hop.address), port.mac());
    }
    traffic = *BenchTraffic::make(nodes, false, 8, 4, 64, tester->pods().mac());
  }

  LoadTrial measure(const LoadOrder& order) const {
    const std::array paths{LoadPath{Ingress::Pod, &traffic}};
    return *tester->measure(*tables, paths, order);
  }

  std::unique_ptr<LoadTester> tester;
  std::shared_ptr<const Generation> tables;
  BenchTraffic traffic;
};

TEST(LoadTester, InTurnsALowLoadIsForwardedWhole) {
  const Bench bench("turns-low", std::nullopt);
  EXPECT_TRUE(bench.tester->takes_turns());
  const LoadTrial trial = bench.measure({.packets_per_second = 100'000,
                                         .duration = milliseconds(20),
                                         .residual = milliseconds(1),
                                         .with_latency = true});
  EXPECT_EQ(trial.counts.offered, 2000);
  EXPECT_EQ(trial.counts.forwarded, 2000);
  EXPECT_EQ(trial.counts.loss_ratio(), 0);
  EXPECT_EQ(trial.losses, LoadLosses{});
  EXPECT_EQ(trial.latency_ns.count(), 2000 / LoadTester::kLatencySample);
  EXPECT_GT(trial.latency_ns.max(), 0);
}

TEST(LoadTester, InTurnsAnOverloadLosesWhatFindsNoPlace) {
  const Bench bench("turns-over", std::nullopt);
  // More than any core forwards.
  const LoadOrder order{.packets_per_second = 1'000'000'000, .duration = milliseconds(2)};
  const LoadTrial trial = bench.measure(order);
  EXPECT_EQ(trial.counts.offered, 2'000'000);
  EXPECT_GT(trial.counts.forwarded, 0);
  EXPECT_GT(trial.counts.loss_ratio(), 0.3);
  EXPECT_EQ(trial.losses.unsent, 0u);
  EXPECT_EQ(trial.counts.offered,
            trial.counts.forwarded + static_cast<std::int64_t>(trial.losses.no_room));
  // Nothing stays behind for the next trial.
  EXPECT_EQ(
      bench.measure({.packets_per_second = 50'000, .duration = milliseconds(2)}).counts.forwarded,
      100);
}

TEST(LoadTester, WhatWaitsInAQueueWhenTheTrialEndsIsLost) {
  const Bench bench("turns-late", std::nullopt);
  const LoadOrder order{
      .packets_per_second = 1'000'000'000, .duration = milliseconds(1), .residual = {}};
  const LoadTrial trial = bench.measure(order);
  EXPECT_GT(trial.counts.offered,
            trial.counts.forwarded + static_cast<std::int64_t>(trial.losses.no_room));
}

TEST(LoadTester, OnTwoCoresEveryPacketIsForwardedOrAccountedFor) {
  if (cores().size() < 2) GTEST_SKIP() << "one core";
  const Bench bench("cores", cores()[1]);
  EXPECT_FALSE(bench.tester->takes_turns());
  for (const std::int64_t load : {50'000, 200'000'000}) {
    const LoadTrial trial = bench.measure(
        {.packets_per_second = load, .duration = milliseconds(20), .residual = milliseconds(500)});
    EXPECT_EQ(trial.counts.offered, load / 50);
    EXPECT_GT(trial.counts.forwarded, 0);
    EXPECT_LE(trial.counts.forwarded +
                  static_cast<std::int64_t>(trial.losses.unsent + trial.losses.no_room),
              trial.counts.offered);
  }
}

TEST(LoadTester, PacketsForTheFullPathAreCounted) {
  Bench bench("turns-punted", std::nullopt);
  // To a link-layer address that is not the node's.
  const auto nodes =
      node::testing::make_cluster({.encapsulation = Encapsulation::Ipip, .nodes = 5}).nodes;
  bench.traffic = *BenchTraffic::make(nodes, false, 8, 4, 64, MacAddress{{2, 9, 9, 9, 9, 9}});
  const LoadTrial trial =
      bench.measure({.packets_per_second = 100'000, .duration = milliseconds(2)});
  EXPECT_EQ(trial.counts.forwarded, 0);
  EXPECT_EQ(trial.losses.punted, 200u);
}

TEST(LoadFigures, AreInOrder) {
  const Bench bench("figures", std::nullopt);
  const std::array paths{LoadPath{Ingress::Pod, &bench.traffic}};
  const load_search::GoalSet goals{.width = 0.05, .trial = milliseconds(2), .trials = 5};
  const auto figures = load_figures(*bench.tester, *bench.tables, paths,
                                    {.goals = goals.goals(),
                                     .range = {.min = 10'000, .max = 1'000'000'000},
                                     .all_figures = true});
  ASSERT_TRUE(figures) << figures.error();
  ASSERT_EQ(figures->max_receive_rates.size(), 10u);
  const auto& pdr = figures->found.goals[1];
  ASSERT_EQ(pdr.goal.name, "PDR");
  ASSERT_TRUE(pdr.conditional_throughput);
  EXPECT_GT(*pdr.conditional_throughput, 10'000);
  EXPECT_LE(*pdr.conditional_throughput, static_cast<double>(pdr.lower_bound.value()));
  if (const auto& ndr = figures->found.goals[0]; ndr.lower_bound) {
    EXPECT_LE(*ndr.lower_bound, *pdr.lower_bound) << "what may lose nothing may lose a little";
  }
  EXPECT_GT(figures->max_receive_rate(), 10'000);
  ASSERT_EQ(figures->latency.size(), 4u);
  EXPECT_EQ(figures->latency[0].packets_per_second, 10'000);
  EXPECT_NEAR(static_cast<double>(figures->latency[3].packets_per_second),
              *pdr.conditional_throughput * 0.9, 1);
  EXPECT_GT(figures->latency[3].trial.latency_ns.count(), 0);
  // The search had overloads, and nothing for the full path.
  EXPECT_GT(figures->losses.no_room, 0u);
  EXPECT_EQ(figures->losses.punted, 0u);
}

}  // namespace load_tester_test
}  // namespace overlane::dpdk
