#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "sim/random/stream.h"
#include "sim/run/path/fabric_links.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace ports_test {

using namespace testing;

/// Against a list that is sorted whenever something is put in, with many of the same time.
TEST(ArrivalQueue, IsASortedList) {
  RandomStream random(1, StreamUse::PacketGap, 0);
  for (const std::uint64_t spread : {1u, 5u, 50u, 2000u}) {
    ArrivalQueue queue;
    std::vector<Arrival> list;
    for (PacketId id = 0; id < 5000; ++id) {
      const Arrival packet{.at = {static_cast<std::int64_t>(id + random.below(spread))},
                           .id = id,
                           .from = static_cast<std::uint32_t>(random.below(3))};
      list.push_back(packet);
      std::ranges::stable_sort(list, ArrivalQueue::before);
      EXPECT_EQ(queue.insert(packet), list.front().id == id);
      for (std::uint64_t taken = random.below(3); taken > 0 && !list.empty(); --taken) {
        ASSERT_EQ(queue.first().id, list.front().id);
        queue.pop();
        list.erase(list.begin());
      }
      ASSERT_EQ(queue.empty(), list.empty());
    }
  }
}

/// Somebody who looks has an event for each arrival: nothing else may differ.
void expect_the_same_when_watched(const Network& network, const std::vector<TrafficGroup>& traffic,
                                  Picos duration = milliseconds(20)) {
  RunOptions options{.duration = duration, .warm_up = duration / 4};
  const Measurement plain = measure(network, traffic, options);
  options.series = SeriesOptions{.interval = duration};
  const Measurement watched = measure(network, traffic, options);
  EXPECT_LT(plain.engine.events, watched.engine.events);
  expect_the_same(plain, watched);
}

/// Pairs from every other node's first pod to the first node's.
std::vector<PodPair> incast(std::uint32_t nodes) {
  std::vector<PodPair> pairs;
  for (std::uint32_t from = 1; from < nodes; ++from)
    pairs.push_back(pair(from, 0));
  return pairs;
}

TEST(Port, HandsOnTheSameWithoutAnEventForEachArrival) {
  const ClusterShape shape{.nodes = 5};
  const std::vector<std::vector<TrafficGroup>> traffics = {
      {datagrams(1'000'000'000, 1000, incast(5))},  // 40 % of the port.
      {datagrams(2'400'000'000, 1400, incast(5)), requests({pair(2, 0)})},
      {datagrams(4'000'000'000, 1400, incast(5)), datagrams(50'000'000, 20, incast(5))},  // 160 %.
      {bulk(incast(5)), requests(incast(5))},
  };
  for (const std::vector<TrafficGroup>& traffic : traffics) {
    Network plain = network(shape);
    expect_the_same_when_watched(plain, traffic);
    plain.paths.jitter = {};
    expect_the_same_when_watched(plain, traffic);
    plain.paths.within_zone = {};
    expect_the_same_when_watched(plain, traffic);
    plain.paths.jitter = microseconds(10);
    expect_the_same_when_watched(plain, traffic);
    plain.paths.port_queue_packets = 3;
    expect_the_same_when_watched(plain, traffic);
    plain.machines[0].nic_rate = {1'000'000'000};
    expect_the_same_when_watched(plain, traffic);
  }
}

TEST(Port, TakesWhatComesAcrossZonesInItsTurn) {
  Network network = testing::network({.nodes = 5, .subnets = 2});
  network.fabric.subnets[1].zone = "zone-2";
  for (const std::uint32_t room : {1000u, 5u}) {
    network.paths.port_queue_packets = room;
    expect_the_same_when_watched(network, {datagrams(2'600'000'000, 1400, incast(5))});
    expect_the_same_when_watched(network, {bulk(incast(5)), requests(incast(5))});
  }
}

}  // namespace ports_test
}  // namespace overlane::run
