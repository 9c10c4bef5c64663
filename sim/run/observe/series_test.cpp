#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "sim/run/observe/observers.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace series_test {

using namespace testing;

constexpr Picos kInterval = milliseconds(3);

RunOptions options(bool each_node = false) {
  return {.duration = milliseconds(40),
          .warm_up = milliseconds(10),
          .series = SeriesOptions{.interval = kInterval, .each_node = each_node}};
}

Network with_costs() {
  Network network = testing::network();
  network.costs = cost::CostProfile{.name = "test", .stages = {}};
  for (cost::StageCost& stage : network.costs->stages)
    stage.per_skb = nanoseconds(300);
  return network;
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

TEST(Series, ChangesNothingElse) {
  const std::vector<TrafficGroup> traffic = {bulk(), requests()};
  RunOptions without = options();
  without.series.reset();
  for (const Network& network : {testing::network(), with_costs()}) {
    const Measurement plain = measure(network, traffic, without);
    const Measurement counted = measure(network, traffic, options());
    EXPECT_FALSE(plain.series);
    ASSERT_TRUE(counted.series);
    expect_the_same(counted, plain);
  }
}

TEST(Series, IntervalsAddUpToTheRun) {
  const Measurement result = measure(with_costs(), {datagrams(400'000'000, 1000)}, options());
  const model::Series& series = *result.series;
  ASSERT_EQ(series.end_ns.size(), 14u) << "13 whole intervals of 3 ms, and one of 1 ms";
  EXPECT_EQ(series.end_ns.front(), 3'000'000);
  EXPECT_EQ(series.end_ns.back(), 40'000'000);
  const model::TrafficSeries& traffic = series.traffic[0];
  EXPECT_EQ(traffic.name, "datagrams");
  EXPECT_EQ(sum(traffic.sent), result.traffic[0].packets.sent);
  EXPECT_EQ(sum(traffic.delivered), result.traffic[0].packets.delivered);
  // Steady from the second interval on; an interval holds 150 datagrams.
  for (std::size_t i = 1; i < series.end_ns.size(); ++i)
    EXPECT_PRED3(near, traffic.goodput_bps[i], 400'000'000, 25'000'000);
  EXPECT_PRED3(near, series.nodes.cpu_ppm[5], result.cpu_utilisation.mean_ppm, 1'000);
  EXPECT_EQ(series.nodes.cpu_ppm.size(), series.end_ns.size());
}

TEST(Series, DropsStandWhereTheyHappened) {
  Network network = testing::network();
  network.machines[1].nic_rate = {100'000'000};  // Its port is a bottleneck.
  const Measurement result = measure(network, {datagrams(400'000'000, 1000)}, options(true));
  const model::Series& series = *result.series;
  const auto& drops = series.traffic[0].drops.at(Drop::FabricQueueFull);
  EXPECT_EQ(sum(drops), result.traffic[0].drops[Drop::FabricQueueFull]);
  ASSERT_EQ(drops.size(), series.end_ns.size());
  EXPECT_EQ(drops.front(), 0) << "1,000 packets fit the queue";
  EXPECT_GT(drops.back(), 0);
  EXPECT_EQ(series.nodes.port_packets.back(), 1'001) << "one is on the link";
  ASSERT_EQ(series.each_node.size(), network.nodes.size());
  EXPECT_EQ(series.each_node[1].port_packets, series.nodes.port_packets);
  EXPECT_EQ(*std::ranges::max_element(series.each_node[0].port_packets), 0);
  EXPECT_LE(*std::ranges::max_element(series.each_node[0].nic_packets), 2);
}

TEST(Series, ANicQueueIsCountedInPacketsAndBytes) {
  Network network = testing::network();
  network.machines[0].nic_rate = {100'000'000};
  for (const bool gso : {false, true}) {
    network.machines[0].offloads.gso = gso;
    const Measurement result = measure(network, {bulk()}, options());
    const model::Series& series = *result.series;
    const std::int64_t packets = *std::ranges::max_element(series.nodes.nic_packets);
    const std::int64_t bytes = *std::ranges::max_element(series.nodes.nic_bytes);
    const std::int64_t most = gso ? 45 : 1;  // Segments of one packet as Linux counts them.
    EXPECT_GT(packets, 10);
    EXPECT_LE(bytes, packets * most * (1500 + 38));
    EXPECT_GT(bytes, gso ? packets * 2 * 1400 : (packets - 1) * 1400);
  }
}

TEST(Series, ARunThatEndsEarlyHasWhatItGot) {
  RunOptions cut = options();
  cut.max_events = 5'000;
  const Measurement result = measure(testing::network(), {bulk()}, cut);
  ASSERT_LT(result.ended_at, cut.duration);
  EXPECT_EQ(result.series->end_ns.back(), result.ended_at.whole_nanoseconds());
  EXPECT_EQ(sum(result.series->traffic[0].sent), result.traffic[0].packets.sent);
  EXPECT_FALSE(result.traffic[0].steady_state);
}

}  // namespace series_test
}  // namespace overlane::run
