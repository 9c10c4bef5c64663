#include "sim/run/inputs/run_options.h"

#include <thread>

#include <gtest/gtest.h>

#include "sim/run/testing/small_network.h"

namespace overlane::run {

namespace watch_test {

using namespace testing;
using model::Ending;

const RunOptions kOptions{.duration = milliseconds(40), .warm_up = milliseconds(10)};

/// What a run of fewer events found.
Measurement cut_at(std::int64_t max_events) {
  RunOptions options = kOptions;
  options.max_events = max_events;
  return measure(network(), {bulk(), requests()}, options);
}

std::int64_t all_events() {
  return measure(network(), {bulk(), requests()}, kOptions).engine.events;
}

TEST(Watch, ARunThatNeedsNoMoreEventsThanItMayIsComplete) {
  const std::int64_t all = all_events();
  EXPECT_EQ(cut_at(all).ending, Ending::Complete);
  EXPECT_EQ(cut_at(all).ended_at, kOptions.duration);
  const Measurement cut = cut_at(all - 1);
  EXPECT_EQ(cut.ending, Ending::EventLimit);
  EXPECT_EQ(cut.engine.events, all - 1);
  EXPECT_LE(cut.ended_at, kOptions.duration);
}

TEST(Watch, WhatWasMeasuredUpToTheLimitIsAsInAShorterRun) {
  const Measurement cut = cut_at(all_events() * 3 / 4);
  ASSERT_EQ(cut.ending, Ending::EventLimit);
  ASSERT_GT(cut.ended_at, kOptions.warm_up);
  RunOptions shorter = kOptions;
  shorter.duration = cut.ended_at;
  const Measurement whole = measure(network(), {bulk(), requests()}, shorter);
  ASSERT_EQ(cut.traffic.size(), whole.traffic.size());
  for (std::size_t i = 0; i < cut.traffic.size(); ++i) {
    EXPECT_TRUE(cut.traffic[i].packets.balanced());
    EXPECT_EQ(cut.traffic[i].goodput_bps, whole.traffic[i].goodput_bps);
    EXPECT_EQ(cut.traffic[i].packets, whole.traffic[i].packets);
    EXPECT_EQ(cut.traffic[i].latency_ns, whole.traffic[i].latency_ns);
  }
  EXPECT_EQ(cut.limits, whole.limits);
}

TEST(Watch, ARunThatEndsDuringTheWarmUpHasNoRates) {
  const Measurement cut = cut_at(100);
  EXPECT_EQ(cut.ending, Ending::EventLimit);
  EXPECT_LT(cut.ended_at, kOptions.warm_up);
  EXPECT_EQ(cut.traffic[0].throughput_bps, 0);
  EXPECT_TRUE(cut.traffic[0].packets.balanced());
  EXPECT_GT(cut.traffic[0].packets.sent, 0);
  EXPECT_TRUE(cut.limits.empty());
}

TEST(Watch, AStopThatWasAskedForEndsTheRunAtItsNextLook) {
  std::atomic<bool> stop = true;
  Watch watch{.stop = &stop};
  RunOptions options = kOptions;
  options.watch = &watch;
  const Measurement stopped = measure(network(), {bulk()}, options);
  EXPECT_EQ(stopped.ending, Ending::Interrupted);
  EXPECT_EQ(stopped.engine.events, kLookEvery);
  EXPECT_TRUE(stopped.traffic[0].packets.balanced());
}

TEST(Watch, AnotherThreadSeesTheRunAndStopsIt) {
  std::atomic<bool> stop = false;
  Watch watch{.stop = &stop};
  // Far more than anybody waits for.
  const RunOptions options{.duration = milliseconds(3'600'000), .watch = &watch};
  std::jthread stopper([&] {
    while (watch.simulated_ps.load() < milliseconds(5).count)
      std::this_thread::yield();
    stop = true;
  });
  const Measurement stopped = measure(network(), {bulk()}, options);
  EXPECT_EQ(stopped.ending, Ending::Interrupted);
  EXPECT_GE(stopped.ended_at, milliseconds(5));
  EXPECT_GT(watch.packets.load(), 0);
  EXPECT_GT(stopped.traffic[0].goodput_bps, 0);
}

TEST(Watch, BeingSeenChangesNothing) {
  Watch watch;
  RunOptions options = kOptions;
  options.watch = &watch;
  const Measurement seen = measure(network(), {bulk()}, options);
  const Measurement unseen = measure(network(), {bulk()}, kOptions);
  EXPECT_EQ(seen.engine.events, unseen.engine.events);
  EXPECT_EQ(seen.traffic[0].packets, unseen.traffic[0].packets);
  EXPECT_EQ(seen.traffic[0].latency_ns, unseen.traffic[0].latency_ns);
}

}  // namespace watch_test

}  // namespace overlane::run
