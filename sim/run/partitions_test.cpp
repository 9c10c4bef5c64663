#include "sim/run/partitions.h"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/node/testing/cluster.h"
#include "sim/run/testing/random_run.h"

namespace overlane::run {
namespace actors_test {

using ::testing::ElementsAre;

struct Log {
  std::vector<std::string> acts;
  std::optional<Picos> for_second;  ///< What the first gives the second to do.
};

/// Acts at its times, and has the second act at once.
class First : public Actor {
 public:
  First(Log& log, std::vector<Picos> times) : log_(log), times_(std::move(times)) {}
  std::optional<Picos> next() const override {
    return done_ < times_.size() ? std::optional(times_[done_]) : std::nullopt;
  }
  void act(node::WorldEditor&, Picos now) override {
    ++done_;
    log_.acts.push_back("first " + std::to_string(now.count));
    log_.for_second = now;
  }

 private:
  Log& log_;
  std::vector<Picos> times_;
  std::size_t done_ = 0;
};

class Second : public Actor {
 public:
  explicit Second(Log& log) : log_(log) {}
  std::optional<Picos> next() const override { return log_.for_second; }
  void act(node::WorldEditor&, Picos now) override {
    log_.for_second.reset();
    log_.acts.push_back("second " + std::to_string(now.count));
  }

 private:
  Log& log_;
};

TEST(Actors, ActInTheirOrderAndReactAtTheSameTime) {
  auto cluster = node::testing::make_cluster({});
  node::World world{cluster.nodes, cluster.fabric};
  node::WorldEditor editor(world);
  Log log;
  const auto note = [&](const char* text) {
    return [&log, text](node::WorldEditor&) { log.acts.emplace_back(text); };
  };
  Actors actors({.changes = {{Picos{20}, note("late")},
                             {Picos{10}, note("early")},
                             {Picos{10}, note("early, too")}},
                 .actors = [&](std::uint64_t) {
                   std::vector<std::unique_ptr<Actor>> made;
                   made.push_back(std::make_unique<Second>(log));
                   made.push_back(std::make_unique<First>(log, std::vector{Picos{10}, Picos{15}}));
                   return made;
                 }});
  while (const auto next = actors.next())
    actors.act(editor, *next);
  EXPECT_THAT(log.acts, ElementsAre("early", "early, too", "first 10", "second 10", "first 15",
                                    "second 15", "late"));
}

TEST(Actors, AreNoneWithoutAny) {
  EXPECT_EQ(Actors(RunOptions{}).next(), std::nullopt);
}

}  // namespace actors_test

namespace partitions_test {

using namespace testing;

/// All that may not depend on partitions and threads.
std::string facts_of(const Measurement& measured) {
  std::string text = text_of(measured);
  text += fmt::format("{} events, {} packet hops, {} decisions checked\n", measured.engine.events,
                      measured.engine.packet_hops, measured.byte_path.checked);
  for (const std::int64_t busy : measured.node_busy_ppm)
    text += fmt::format("{} ", busy);
  for (const std::int64_t datagrams : measured.datagrams)
    text += fmt::format("{} ", datagrams);
  for (const model::TrafficResult& traffic : measured.traffic) {
    text += fmt::format("{} {} ", traffic.latency_ns.buckets_text(), traffic.transactions);
    for (const auto& state : {traffic.steady_state, traffic.latency_steady_state})
      if (state)
        text += fmt::format("steady {} from {}, bias {}, drift {}, ", state->reached,
                            state->from.count, state->bias_ppm, state->drift_ppm);
    if (const auto& of = traffic.interruptions)
      text += fmt::format("interrupted {} of {}, {} not resumed, {} ", of->interrupted, of->flows,
                          of->not_resumed, of->longest_ns.buckets_text());
  }
  return text;
}

class Partitioned : public ::testing::TestWithParam<int> {};

/// Compares the run in several partitions with it in one.
void compare(RandomRun& run, std::uint32_t threads) {
  const std::string whole = facts_of(run.measure());
  for (const std::uint32_t partitions : {2u, 4u, 8u}) {
    run.options().partitions = partitions;
    run.options().threads = threads = threads % 3 + 1;
    const Measurement measured = run.measure();
    EXPECT_EQ(facts_of(measured), whole) << partitions << " partitions, " << threads << " threads";
    EXPECT_EQ(measured.engine.threads, std::min(threads, partitions));
    EXPECT_EQ(measured.engine.one_thread_because, "");
  }
}

TEST_P(Partitioned, RunComesToTheSame) {
  RandomRun run(static_cast<std::uint64_t>(GetParam()), 9);
  run.disturb();
  run.change_routes();
  compare(run, static_cast<std::uint32_t>(GetParam()) % 3);
}

TEST_P(Partitioned, DatagramsOfPodsThatEndComeToTheSame) {
  RandomRun run(static_cast<std::uint64_t>(GetParam()), 9);
  run.disturb();
  run.leave_datagrams();
  compare(run, static_cast<std::uint32_t>(GetParam()) % 3);
}

INSTANTIATE_TEST_SUITE_P(Run, Partitioned, ::testing::Range(0, 12));

/// Ten nodes that send to each other, each to its neighbour.
struct Ring {
  Network network = testing::network({.nodes = 10});
  std::vector<TrafficGroup> traffic;
  RunOptions options{.duration = milliseconds(20), .threads = 2, .partitions = 2};

  Ring() {
    std::vector<PodPair> pairs;
    for (std::uint32_t node = 0; node < 10; ++node)
      pairs.push_back(pair(node, (node + 1) % 10));
    traffic.push_back(datagrams(50'000'000, 1'000, pairs));
  }
  Measurement measure() const { return testing::measure(network, traffic, options); }
};

TEST(Partitions, AreOneWhereNodesConcernEachOtherAtOnce) {
  EXPECT_EQ(Ring().measure().engine.one_thread_because, "");
  Ring ring;
  ring.network.paths.within_zone = {};
  EXPECT_NE(ring.measure().engine.one_thread_because, "") << "no look-ahead";
  ring = {};
  ring.options.partitions = 0;
  EXPECT_EQ(ring.measure().engine.one_thread_because,
            "there are only about 1.2 packets in 20 µs, the latency between nodes");
  ring = {};
  ring.traffic[0].pairs = std::vector{pair(0, 1)};
  ring.network = testing::network({.nodes = 10});
  ring.network.paths.racks = fabric::Racks{.nodes_per_rack = 5, .uplink = {10'000'000'000}};
  EXPECT_EQ(ring.measure().engine.one_thread_because,
            "links between racks have no latency of their own");
}

TEST(Partitions, HaveNodesThatLeaveAndJoin) {
  Ring ring;
  ring.options.joins = {{3, milliseconds(5)}};
  ring.options.changes = {
      {milliseconds(5), [](node::WorldEditor& world) { world.start_node(3); }},
      {milliseconds(7), [](node::WorldEditor& world) { world.stop_node(8); }},
      {milliseconds(12), [](node::WorldEditor& world) { world.start_node(8); }}};
  const Measurement parted = ring.measure();
  EXPECT_EQ(parted.engine.threads, 2);
  ring.options.partitions = ring.options.threads = 1;
  EXPECT_EQ(facts_of(parted), facts_of(ring.measure()));
  EXPECT_EQ(parted.traffic[0].interruptions->interrupted, 2) << "from and to node 8";
}

/// Nothing tells in advance that connections will fail: the run begins again with one partition.
TEST(Partitions, BecomeOneWhenConnectionsAreOpened) {
  Ring ring;
  ring.traffic[0] =
      requests(std::vector<PodPair>(ring.traffic[0].pairs.begin(), ring.traffic[0].pairs.end()));
  ring.traffic[0].timeout = milliseconds(5);
  ring.network.paths.loss.within_zone = fabric::Loss::kAll / 10;
  const Measurement once = ring.measure();
  EXPECT_EQ(once.engine.one_thread_because, "clients open new connections");
  EXPECT_EQ(once.engine.threads, 1);
  ring.options.partitions = ring.options.threads = 1;
  EXPECT_EQ(facts_of(once), facts_of(ring.measure()));
}

TEST(Partitions, BecomeOneWhenEventsRunOut) {
  Ring ring;
  ring.options.max_events = 500;
  const Measurement cut = ring.measure();
  EXPECT_EQ(cut.ending, model::Ending::EventLimit);
  EXPECT_EQ(cut.engine.events, 500);
}

TEST(Partitions, StopWhenAsked) {
  Ring ring;
  const std::atomic<bool> stop = true;
  Watch watch{.stop = &stop};
  ring.options.watch = &watch;
  const Measurement cut = run(ring.network, ring.traffic, ring.options).value();
  EXPECT_EQ(cut.ending, model::Ending::Interrupted);
  EXPECT_LT(cut.ended_at, milliseconds(1));
  EXPECT_EQ(cut.engine.threads, 2);
}

TEST(Partitions, ShowHowFarTheyAre) {
  Ring ring;
  Watch watch;
  ring.options.watch = &watch;
  const Measurement measured = run(ring.network, ring.traffic, ring.options).value();
  EXPECT_EQ(watch.simulated_ps.load(), milliseconds(20).count);
  EXPECT_EQ(watch.packets.load(), measured.traffic[0].packets.sent);
}

}  // namespace partitions_test
}  // namespace overlane::run
