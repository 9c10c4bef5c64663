#include <gtest/gtest.h>

#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace datagrams_end_test {

using namespace testing;

TEST(DatagramsEnd, WhatWasSentBeforeArrives) {
  // A datagram of 1,000 bytes each 8 µs.
  const std::vector<TrafficGroup> traffic{datagrams(1'000'000'000, 1000), bulk()};
  RunOptions options{.duration = milliseconds(40), .datagrams_end = milliseconds(20)};
  options.start_spread = microseconds(8);
  const auto measured = run(network(), traffic, options);
  ASSERT_TRUE(measured) << measured.error();
  EXPECT_NEAR(static_cast<double>(measured->datagrams[0]), 2500, 2);
  EXPECT_EQ(measured->datagrams[1], 0);
  EXPECT_EQ(measured->traffic[0].packets.delivered, measured->datagrams[0]);
  EXPECT_EQ(measured->traffic[0].packets.in_flight, 0);
  EXPECT_EQ(measured->traffic[0].latency_ns.count(), measured->datagrams[0]);
}

}  // namespace datagrams_end_test
}  // namespace overlane::run
