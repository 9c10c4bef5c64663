#include "sim/run/skip/skipper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/run/testing/random_run.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace skipper_test {

using testing::datagrams;
using testing::expect_the_same;
using testing::measure;
using testing::network;
using testing::pair;

/// Every node sends to every other node from pod 0 to pod 0.
std::vector<PodPair> mesh(std::uint32_t nodes) {
  std::vector<PodPair> pairs;
  for (std::uint32_t from = 0; from < nodes; ++from)
    for (std::uint32_t to = 0; to < nodes; ++to)
      if (from != to) pairs.push_back(pair(from, to));
  return pairs;
}

/// Runs with all events and with spans, expects equal results, and returns the run with spans.
Measurement compare(const Network& network, const std::vector<TrafficGroup>& traffic,
                    RunOptions options) {
  const Measurement full = measure(network, traffic, options);
  EXPECT_FALSE(full.engine.skipped);
  options.fast = true;
  const Measurement fast = measure(network, traffic, options);
  expect_the_same(full, fast);
  EXPECT_EQ(testing::text_of(full), testing::text_of(fast));
  EXPECT_EQ(full.datagrams, fast.datagrams);
  EXPECT_EQ(full.byte_path.checked, fast.byte_path.checked);
  EXPECT_EQ(full.limits, fast.limits);
  EXPECT_TRUE(fast.engine.skipped);
  return fast;
}

TEST(Skipper, PacedDatagramsHaveTheSameResults) {
  for (const Encapsulation encapsulation :
       {Encapsulation::None, Encapsulation::Ipip, Encapsulation::Vxlan}) {
    const Measurement fast =
        compare(network({.encapsulation = encapsulation, .nodes = 4}),
                {datagrams(8'000'000, 1'000, mesh(4)), datagrams(3'000'000, 300, mesh(4))},
                {.duration = milliseconds(100), .warm_up = milliseconds(10)});
    EXPECT_GT(fast.engine.skipped->spans, 0);
    EXPECT_GT(fast.engine.skipped->skipped_ns, 90'000'000);
    EXPECT_EQ(fast.engine.skipped->none_because, "");
  }
}

}  // namespace skipper_test
}  // namespace overlane::run
