#include "sim/run/skip/skipper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/run/testing/random_run.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace skipper_test {

using testing::bulk;
using testing::datagrams;
using ::testing::HasSubstr;
using testing::measure;
using testing::network;
using testing::pair;
using testing::RandomRun;

/// Every node sends to every other node from pod 0 to pod 0.
std::vector<PodPair> mesh(std::uint32_t nodes) {
  std::vector<PodPair> pairs;
  for (std::uint32_t from = 0; from < nodes; ++from)
    for (std::uint32_t to = 0; to < nodes; ++to)
      if (from != to) pairs.push_back(pair(from, to));
  return pairs;
}

RunOptions options(Picos duration = milliseconds(100)) {
  return {.duration = duration, .warm_up = duration / 10};
}

/// Runs with all events and with RunOptions::fast, expects that no result differs, and returns the
/// facts about the spans.
model::SkipFacts compare(const Network& network, const std::vector<TrafficGroup>& traffic,
                         RunOptions options) {
  const Measurement full = measure(network, traffic, options);
  EXPECT_FALSE(full.engine.skipped);
  options.fast = true;
  const Measurement fast = measure(network, traffic, options);
  testing::expect_the_same(full, fast);
  EXPECT_EQ(testing::text_of(full), testing::text_of(fast));
  EXPECT_EQ(full.datagrams, fast.datagrams);
  EXPECT_EQ(full.byte_path.checked, fast.byte_path.checked);
  EXPECT_EQ(full.series, fast.series);
  EXPECT_EQ(full.ending, fast.ending);
  for (std::size_t i = 0; i < full.traffic.size(); ++i)
    EXPECT_EQ(full.traffic[i].interruptions, fast.traffic[i].interruptions);
  EXPECT_TRUE(fast.engine.skipped);
  return fast.engine.skipped.value_or(model::SkipFacts{});
}

TEST(Skipper, PacedDatagramsHaveTheSameResults) {
  for (const Encapsulation encapsulation :
       {Encapsulation::None, Encapsulation::Ipip, Encapsulation::Vxlan}) {
    const model::SkipFacts skipped = compare(
        network({.encapsulation = encapsulation, .nodes = 4}),
        {datagrams(8'000'000, 1'000, mesh(4)), datagrams(3'000'000, 300, mesh(4))}, options());
    EXPECT_EQ(skipped.spans, 2) << "the warm-up and the rest";
    EXPECT_GT(skipped.skipped_ns, 90'000'000);
    EXPECT_GT(skipped.packets, 2'000);
    EXPECT_EQ(skipped.none_because, "");
  }
}

TEST(Skipper, QueuesThatFillAndEmptyHaveTheSameResults) {
  // 90 % of each port, with packets of several lengths from several zones.
  Network busy = network({.nodes = 6, .subnets = 2});
  const model::SkipFacts skipped = compare(
      busy, {datagrams(1'500'000'000, 1'400, mesh(6)), datagrams(200'000'000, 200, mesh(6))},
      options(milliseconds(20)));
  EXPECT_GT(skipped.spans, 0) << skipped.none_because;
  EXPECT_GT(skipped.packets, 50'000);
}

TEST(Skipper, EachSettingOfTheFabricHasTheSameResults) {
  const std::vector<TrafficGroup> traffic = {datagrams(80'000'000, 1'000, mesh(4))};
  for (const Picos jitter : {Picos{}, picoseconds(3), microseconds(10)}) {
    Network changed = network({.nodes = 4});
    changed.paths.jitter = jitter;
    EXPECT_GT(compare(changed, traffic, options(milliseconds(20))).spans, 0);
    changed.limits.single_flow = BitsPerSecond{200'000'000};
    EXPECT_GT(compare(changed, traffic, options(milliseconds(20))).spans, 0) << "with a cap";
  }
}

TEST(Skipper, TheSampleOfTheBytePathIsTheSame) {
  const model::SkipFacts skipped =
      compare(network({.encapsulation = Encapsulation::Ipip, .nodes = 3}),
              {datagrams(80'000'000, 500, mesh(3))}, options(milliseconds(400)));
  EXPECT_GT(skipped.packets, 40'000) << "many are in the sample";
}

TEST(Skipper, ConnectionTrackingLearnsTheSame) {
  Network tracked = network({.nodes = 3});
  for (node::NodeState& node : tracked.nodes) {
    node::PacketFilter filter = *node.filter;
    filter.tracking = node::Tracking::All;
    node.filter = std::make_shared<const node::PacketFilter>(std::move(filter));
  }
  // A connection counts as a stream after two seconds, which a decision has to find out.
  const model::SkipFacts skipped =
      compare(tracked, {datagrams(1'000'000, 500, mesh(3))}, options(seconds(3)));
  EXPECT_GT(skipped.spans, 1);
  EXPECT_GT(skipped.skipped_ns, 2'500'000'000);
}

TEST(Skipper, AChangeEndsASpan) {
  RunOptions changing = options();
  changing.changes = {testing::without_cloud_route(milliseconds(40), 1),
                      testing::with_cloud_route(milliseconds(60), 1)};
  const std::vector<TrafficGroup> traffic = {datagrams(8'000'000, 1'000, mesh(3))};
  const model::SkipFacts skipped = compare(network({.nodes = 3}), traffic, changing);
  EXPECT_GE(skipped.spans, 3);
  EXPECT_LT(skipped.skipped_ns, 80'000'000) << "not while packets are lost";
  changing.fast = true;
  const Measurement measured = measure(network({.nodes = 3}), traffic, changing);
  EXPECT_GT(measured.traffic[0].drops.total(), 0);
}

TEST(Skipper, NodesThatStopAndStartHaveTheSameResults) {
  RunOptions changing = options();
  changing.changes = {
      {milliseconds(30), [](node::WorldEditor& world) { world.stop_node(1); }},
      {milliseconds(50), [](node::WorldEditor& world) { world.start_node(1); }},
  };
  const model::SkipFacts skipped =
      compare(network({.nodes = 4}),
              {datagrams(8'000'000, 1'000, {pair(0, 1), pair(1, 0), pair(2, 3)})}, changing);
  EXPECT_GT(skipped.spans, 2);
}

TEST(Skipper, RandomIntervalsAreNotSkipped) {
  TrafficGroup poisson = datagrams(8'000'000, 1'000, mesh(3));
  poisson.arrivals = Arrivals::Poisson;
  const model::SkipFacts skipped = compare(network({.nodes = 3}), {poisson}, options());
  EXPECT_EQ(skipped.spans, 0);
  EXPECT_EQ(skipped.packets, 0);
  EXPECT_EQ(skipped.none_because, "no traffic is datagrams at a constant rate");
}

TEST(Skipper, ComponentsWithoutOtherTrafficAreSkipped) {
  const Network four = network({.nodes = 4});
  const TrafficGroup paced = datagrams(8'000'000, 1'000, {pair(0, 1), pair(1, 0)});
  EXPECT_GT(compare(four, {paced, bulk({pair(2, 3)})}, options(milliseconds(20))).spans, 0);
  const model::SkipFacts shared =
      compare(four, {paced, bulk({pair(1, 2)})}, options(milliseconds(20)));
  EXPECT_EQ(shared.spans, 0);
  EXPECT_THAT(shared.none_because, HasSubstr("share nodes with other traffic"));
}

TEST(Skipper, LossesAreNotSkipped) {
  Network small = network({.nodes = 4});
  small.paths.port_queue_packets = 2;
  const std::vector<TrafficGroup> to_one = {
      datagrams(2'000'000'000, 1'000, {pair(0, 3), pair(1, 3), pair(2, 3)})};
  model::SkipFacts skipped = compare(small, to_one, options(milliseconds(20)));
  EXPECT_EQ(skipped.spans, 0);
  EXPECT_THAT(skipped.none_because, HasSubstr("queues may overflow"));
  Network lossy = network({.nodes = 4});
  lossy.paths.loss.within_zone = 1'000'000;
  skipped = compare(lossy, to_one, options(milliseconds(20)));
  EXPECT_EQ(skipped.spans, 0);
  EXPECT_EQ(skipped.none_because, "packets are lost by chance");
  // More than the link carries: losses begin when the queue is full.
  skipped = compare(network({.nodes = 4}),
                    {datagrams(4'000'000'000, 1'000, {pair(0, 3), pair(1, 3), pair(2, 3)})},
                    options(milliseconds(20)));
  EXPECT_EQ(skipped.spans, 0);
}

TEST(Skipper, SaysWhyARunNeedsAllEvents) {
  const std::vector<TrafficGroup> traffic = {datagrams(8'000'000, 1'000, mesh(3))};
  Network charged = network({.nodes = 3});
  charged.costs = testing::only(cost::Stage::SocketSend, {nanoseconds(100), {}, {}});
  EXPECT_EQ(compare(charged, traffic, options()).none_because, "packets wait for cores");
  RunOptions with_series = options();
  with_series.series = SeriesOptions{.interval = milliseconds(10), .each_node = true};
  EXPECT_EQ(compare(network({.nodes = 3}), traffic, with_series).none_because,
            "a time series is recorded");
  EXPECT_EQ(compare(network({.nodes = 3}), traffic, options(milliseconds(4))).none_because,
            "spans without a change are too short");
}

TEST(Skipper, SendersThatStopHaveTheSameResults) {
  RunOptions ending = options();
  ending.datagrams_end = milliseconds(70);
  const model::SkipFacts skipped =
      compare(network({.nodes = 3}), {datagrams(8'000'000, 1'000, mesh(3))}, ending);
  EXPECT_LT(skipped.skipped_ns, 70'000'001);
  EXPECT_GT(skipped.skipped_ns, 60'000'000);
}

TEST(Skipper, RandomRunsHaveTheSameResults) {
  for (std::uint64_t number = 0; number < 24; ++number) {
    RandomRun random(number);
    if (number % 2 == 0) random.disturb();
    random.leave_datagrams();
    const Measurement full = random.measure();
    random.options().fast = true;
    const Measurement fast = random.measure();
    EXPECT_EQ(testing::text_of(full), testing::text_of(fast)) << number;
    EXPECT_EQ(full.byte_path.checked, fast.byte_path.checked) << number;
    EXPECT_EQ(full.engine.packet_hops, fast.engine.packet_hops) << number;
  }
}

}  // namespace skipper_test
}  // namespace overlane::run
