#include <gtest/gtest.h>

#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace ipv6_test {

using namespace testing;
using model::TrafficResult;
using node::testing::pod_v6;

/// pair() with IPv6 addresses.
PodPair pair_v6() {
  return {{0, pod_v6(0)}, {1, pod_v6(1)}};
}

TEST(RunIpv6, DatagramsCountTheirHeaders) {
  const Measurement result = measure(network(), {datagrams(100'000'000, 1000, {pair_v6()})},
                                     {.duration = milliseconds(200), .warm_up = milliseconds(100)});
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_EQ(traffic.packets.dropped, 0);
  EXPECT_PRED3(near, traffic.goodput_bps, 100'000'000, 1000 * 8 * 10);
  EXPECT_PRED3(near, traffic.throughput_bps, 104'800'000, 1048 * 8 * 10);
}

TEST(RunIpv6, TcpFillsTheLinkWithSmallerSegments) {
  const RunOptions options{.duration = milliseconds(200), .warm_up = milliseconds(100)};
  const auto goodput = [&](const PodPair& pair) {
    return measure(network(), {bulk({pair})}, options).traffic[0].goodput_bps;
  };
  // 1,448 (IPv4) and 1,428 (IPv6) of 1,538 bytes on the wire are payload.
  EXPECT_PRED3(near, goodput(pair_v6()), goodput(pair()) / 1448 * 1428, 20'000'000);
}

TEST(RunIpv6, TcpHearsThatPacketsAreTooBig) {
  Network network = testing::network({.encapsulation = Encapsulation::Vxlan});
  for (node::NodeState& node : network.nodes)
    for (node::LocalPod& local : node.pods)
      local.mtu = 1500;
  const Measurement result = measure(network, {bulk({pair_v6()})}, {.duration = milliseconds(100)});
  const TrafficResult& traffic = result.traffic[0];
  EXPECT_GT(traffic.drops[Drop::MtuExceeded], 0) << "the first segments";
  EXPECT_GT(traffic.goodput_bps, 5'000'000'000);
}

TEST(RunIpv6, RequestsAreAnswered) {
  const Measurement result =
      measure(network(), {requests({pair_v6()})}, {.duration = milliseconds(50)});
  EXPECT_GT(result.traffic[0].latency_ns.count(), 100);
  EXPECT_EQ(result.traffic[0].packets.dropped, 0);
}

}  // namespace ipv6_test
}  // namespace overlane::run
