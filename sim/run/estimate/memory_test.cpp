#include "sim/run/estimate/memory.h"

#include <malloc.h>

#include <gtest/gtest.h>

#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace memory_test {

using namespace testing;

std::int64_t allocated() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

/// What a run holds shortly before its end.
std::int64_t taken(const Network& network, const std::vector<TrafficGroup>& traffic) {
  std::int64_t most = 0;
  RunOptions options{.duration = milliseconds(20)};
  const auto look = [&](node::WorldEditor&) { most = std::max(most, allocated()); };
  for (const int at : {5, 10, 15, 19})
    options.changes.push_back({milliseconds(at), look});
  const std::int64_t before = allocated();
  measure(network, traffic, options);
  return most - before;
}

/// Flows around a ring of nodes.
std::vector<PodPair> ring(std::uint32_t nodes) {
  std::vector<PodPair> pairs;
  for (std::uint32_t node = 0; node < nodes; ++node)
    pairs.push_back(pair(node, (node + 1) % nodes));
  return pairs;
}

TEST(EstimateMemory, IsWhatRunsOfManyFlowsTake) {
  if (allocated() == 0) GTEST_SKIP() << "the allocator tells nothing";
  const Network network = testing::network({.nodes = 20});
  TrafficGroup pausing = requests(ring(20));
  pausing.name = "pausing";
  pausing.over_udp = true;
  pausing.think_time = microseconds(10);
  for (TrafficGroup group :
       {datagrams(1'000'000, 500, ring(20)), bulk(ring(20)), requests(ring(20)), pausing}) {
    group.flows_per_pair = 60;
    const std::int64_t estimate = estimate_memory(network, {group}, milliseconds(20)).count;
    const std::int64_t real = taken(network, {group});
    EXPECT_LT(real, estimate * 2) << group.name;
    EXPECT_GT(real, estimate / 3) << group.name;
  }
}

TEST(EstimateMemory, GrowsWithFlowsAndNodes) {
  TrafficGroup group = requests(ring(20));
  const auto estimate = [&](std::uint32_t nodes) {
    return estimate_memory(testing::network({.nodes = nodes}), {group}, milliseconds(20)).count;
  };
  const std::int64_t few = estimate(20);
  EXPECT_GT(estimate(200), few);
  group.flows_per_pair = 1000;
  EXPECT_GT(estimate(20), few + 20 * 999 * 1000);
  EXPECT_GT(estimate_memory(testing::network({.nodes = 200})),
            estimate_memory(testing::network({.nodes = 20})));
}

}  // namespace memory_test
}  // namespace overlane::run
