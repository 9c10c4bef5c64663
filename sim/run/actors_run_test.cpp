#include <gtest/gtest.h>

#include "sim/random/stream.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace actors_run_test {

using namespace testing;

/// Takes the cloud route of a node away and brings it back, each after a random time.
class RouteFlap : public Actor {
 public:
  RouteFlap(std::uint64_t seed, std::uint32_t node)
      : random_(seed, StreamUse::Actors, node), node_(node) {
    wait(Picos{});
  }
  std::optional<Picos> next() const override { return next_; }
  void act(node::WorldEditor& world, Picos now) override {
    (is_there_ ? without_cloud_route : with_cloud_route)(now, node_).apply(world);
    is_there_ = !is_there_;
    wait(now);
  }

 private:
  void wait(Picos now) {
    next_ = now + Picos{static_cast<std::int64_t>(
                      1 + random_.below(static_cast<std::uint64_t>(milliseconds(4).count)))};
  }

  RandomStream random_;
  std::uint32_t node_;
  Picos next_;
  bool is_there_ = true;
};

RunOptions options(std::uint64_t seed) {
  return {.duration = milliseconds(100), .seed = seed, .actors = [](std::uint64_t of_run) {
            std::vector<std::unique_ptr<Actor>> actors;
            for (const std::uint32_t node : {0u, 1u, 2u})
              actors.push_back(std::make_unique<RouteFlap>(of_run, node));
            return actors;
          }};
}

const std::vector<TrafficGroup> kTraffic{
    datagrams(40'000'000, 1000, {pair(0, 1), pair(1, 2), pair(2, 0)}),
    requests({pair(0, 2), pair(1, 0)})};

TEST(ActorsInRuns, InterruptTrafficAtTimesOfTheirOwn) {
  const Network network = testing::network({.nodes = 3});
  const Measurement first = measure(network, kTraffic, options(1));
  EXPECT_EQ(first.traffic[0].interruptions->interrupted, 3);
  EXPECT_GT(first.traffic[0].drops[Drop::FabricNoRoute], 100);
  expect_the_same(first, measure(network, kTraffic, options(1)));
  EXPECT_NE(first.traffic[0].packets.dropped,
            measure(network, kTraffic, options(2)).traffic[0].packets.dropped);
}

/// Neither what is decided ahead nor what is kept goes past them.
TEST(ActorsInRuns, AreNotOvertaken) {
  const Network network = testing::network({.nodes = 3});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    RunOptions asked = options(seed);
    const Measurement usual = measure(network, kTraffic, asked);
    asked.keep_decisions = false;
    expect_the_same(usual, measure(network, kTraffic, asked));
    asked.keep_decisions = true;
    const TraceOptions of_no_flow{.follows = [](auto, auto) { return false; },
                                  .see = [](const TraceEvent&) {}};
    asked.trace = &of_no_flow;
    expect_the_same(usual, measure(network, kTraffic, asked));
  }
}

/// All partitions wait for them, and what these have lost and heard makes one result.
TEST(ActorsInRuns, ComeToTheSameInSeveralPartitions) {
  const Network network = testing::network({.nodes = 3});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    RunOptions asked = options(seed);
    const Measurement usual = measure(network, kTraffic, asked);
    asked.partitions = 3;
    asked.threads = 2;
    const Measurement parted = measure(network, kTraffic, asked);
    EXPECT_EQ(parted.engine.one_thread_because, "");
    expect_the_same(usual, parted);
    for (std::size_t i = 0; i < kTraffic.size(); ++i)
      EXPECT_EQ(parted.traffic[i].interruptions, usual.traffic[i].interruptions);
  }
}

}  // namespace actors_run_test
}  // namespace overlane::run
