#include <gtest/gtest.h>

#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace loss_test {

using namespace testing;
using fabric::Loss;

constexpr std::int64_t kMbit = 1'000'000;

Network lossy(double ratio, const ClusterShape& shape = {}) {
  Network network = testing::network(shape);
  const auto lost = static_cast<std::uint32_t>(ratio * Loss::kAll);
  network.paths.loss = {.within_zone = lost, .across_zones = lost};
  return network;
}

const model::TrafficResult& only(const Measurement& result) {
  return result.traffic.at(0);
}

TEST(RandomLoss, TakesItsShareOfTheDatagramsInEveryMode) {
  for (const Encapsulation encapsulation :
       {Encapsulation::None, Encapsulation::Ipip, Encapsulation::Vxlan}) {
    const Network network = lossy(0.05, {.encapsulation = encapsulation});
    const Measurement result = measure(network, {datagrams(400 * kMbit, 1'000)});
    const std::int64_t sent = only(result).packets.sent;
    EXPECT_GT(sent, 4'500);
    // Five standard deviations of so many coins.
    EXPECT_PRED3(near, only(result).drops[Drop::RandomLoss], sent / 20, 75);
    EXPECT_EQ(only(result).drops.total(), only(result).drops[Drop::RandomLoss]);
  }
}

TEST(RandomLoss, OfAFlowIsTheSameWhoeverElseSends) {
  const TrafficGroup group = datagrams(100 * kMbit, 1'000);
  TrafficGroup other = datagrams(300 * kMbit, 500, {pair(1, 0, 1)});
  other.name = "other";
  const Measurement alone = measure(lossy(0.1), {group});
  const Measurement together = measure(lossy(0.1), {group, other});
  EXPECT_EQ(only(alone).drops, only(together).drops);
  EXPECT_EQ(only(alone).packets.delivered, only(together).packets.delivered);
  EXPECT_GT(together.traffic[1].drops[Drop::RandomLoss], 0);
}

TEST(RandomLoss, HitsConnectionAfterConnection) {
  TrafficGroup group = requests();
  group.connections = Connections::PerRequest;
  group.flows_per_pair = 4;
  const Measurement result = measure(lossy(0.02), {group}, {.duration = seconds(2)});
  EXPECT_GT(only(result).transactions, 100);
  const std::int64_t sent = only(result).packets.sent;
  EXPECT_PRED3(near, only(result).drops[Drop::RandomLoss], sent / 50, sent / 100);
}

TEST(RandomLoss, HitsOnlyTheWaysThatLose) {
  Network network = lossy(0);
  network.paths.loss.across_zones = Loss::kAll;
  const Measurement result = measure(network, {datagrams(100 * kMbit, 1'000)});
  EXPECT_EQ(only(result).packets.dropped, 0) << "both nodes are in one zone";
  EXPECT_GT(only(result).packets.delivered, 0);
}

/// Traffic that gets nothing through, and how it ends.
struct Hopeless {
  const char* what;
  TrafficGroup group;
  std::int64_t most_sent;
};

Hopeless hopeless(const char* what, TrafficGroup group, std::int64_t most_sent) {
  return {what, std::move(group), most_sent};
}

TEST(RandomLoss, OfEverythingEndsAndSaysSo) {
  TrafficGroup transfers = bulk();
  transfers.transfer = Distribution::fixed(10'000);
  transfers.gap = Distribution::fixed(seconds(1).count);
  transfers.connections = Connections::PerRequest;
  TrafficGroup over_udp = requests();
  over_udp.over_udp = true;
  // SYN and six repetitions in 127 s, then the client tries again.
  for (const auto& [what, group, most_sent] :
       {hopeless("bulk", bulk(), 20), hopeless("transfers", transfers, 20),
        hopeless("requests", requests(), 20), hopeless("requests over UDP", over_udp, 301),
        hopeless("datagrams", datagrams(8'000, 100), 3'001)}) {
    const Measurement result =
        measure(lossy(1), {group}, {.duration = seconds(300), .warm_up = seconds(1)});
    EXPECT_EQ(result.ending, model::Ending::Complete) << what;
    EXPECT_EQ(only(result).goodput_bps, 0) << what;
    EXPECT_EQ(only(result).packets.delivered, 0) << what;
    EXPECT_EQ(only(result).packets.dropped, only(result).drops[Drop::RandomLoss]) << what;
    EXPECT_GE(only(result).packets.sent, 7) << what;
    EXPECT_LE(only(result).packets.sent, most_sent) << what;
    ASSERT_EQ(result.limits.size(), 1u) << what;
    EXPECT_EQ(result.limits[0].station, "drop random-loss") << what;
    EXPECT_EQ(result.limits[0].constant, "loss 100 %") << what;
  }
}

}  // namespace loss_test
}  // namespace overlane::run
