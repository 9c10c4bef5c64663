#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/node/testing/cluster.h"
#include "sim/cost/path_cost.h"
#include "sim/run/run.h"

namespace overlane::run::testing {

// Inputs for tests of the engine: a small cluster, traffic groups with few settings, and measure(),
// which runs them and expects that the byte path agrees with every sampled decision.

using node::testing::ClusterShape;
using node::testing::pod;

/// A test cluster on machines with 10 Gbit/s NICs, 20 µs apart, without CPU costs.
inline Network network(const ClusterShape& shape = {}) {
  node::testing::Cluster cluster = node::testing::make_cluster(shape);
  return {.nodes = std::move(cluster.nodes),
          .fabric = std::move(cluster.fabric),
          .machines = std::vector<host::Machine>(shape.nodes)};
}

/// Costs of one stage only.
inline cost::CostProfile only(cost::Stage stage, const cost::StageCost& cost) {
  cost::CostProfile profile{.name = "test", .stages = {}};
  profile[stage] = cost;
  return profile;
}

/// A pair from pod `number` of node `from` to pod `number` of node `to`.
inline PodPair pair(std::uint32_t from = 0, std::uint32_t to = 1, std::uint32_t number = 0) {
  return {{from, pod(from, number)}, {to, pod(to, number)}};
}

inline TrafficGroup bulk(std::vector<PodPair> pairs = {pair()}) {
  return {.name = "bulk", .kind = model::TrafficKind::Tcp, .pairs = std::move(pairs)};
}
inline TrafficGroup datagrams(std::int64_t bits_per_second, std::uint32_t payload,
                              std::vector<PodPair> pairs = {pair()}) {
  return {.name = "datagrams",
          .kind = model::TrafficKind::Udp,
          .pairs = std::move(pairs),
          .rate = {bits_per_second},
          .payload_bytes = payload};
}
inline TrafficGroup requests(std::vector<PodPair> pairs = {pair()}) {
  return {.name = "requests",
          .kind = model::TrafficKind::RequestResponse,
          .pairs = std::move(pairs),
          .request_bytes = 100,
          .response_bytes = 1000};
}

/// A core's rate of datagrams that fill whole polls, if its rate of single datagrams is `alone`: 63
/// of 64 datagrams follow another one directly.
inline std::int64_t in_full_polls(std::int64_t alone) {
  return alone * 64 * 100 / (100 + 63 * cost::kBurstPercent);
}

/// Whether two figures differ by at most `tolerance`.
inline bool near(std::int64_t a, std::int64_t b, std::int64_t tolerance) {
  return a - b <= tolerance && b - a <= tolerance;
}

inline Measurement measure(const Network& network, const std::vector<TrafficGroup>& traffic,
                           const RunOptions& options = {}) {
  const Measurement result = run(network, traffic, options).value();
  EXPECT_GT(result.byte_path.checked, 0);
  EXPECT_EQ(result.byte_path.mismatched, 0) << result.first_mismatch;
  return result;
}

/// Ignores interruptions, which only runs with changes have.
inline void expect_the_same(const model::TrafficResult& a, const model::TrafficResult& b) {
  EXPECT_EQ(a.goodput_bps, b.goodput_bps);
  EXPECT_EQ(a.throughput_bps, b.throughput_bps);
  EXPECT_EQ(a.latency_ns, b.latency_ns);
  EXPECT_EQ(a.packets, b.packets);
  EXPECT_EQ(a.drops, b.drops);
  EXPECT_EQ(a.steady_state, b.steady_state);
}

/// Expects equal results of two runs; the number of events may differ.
inline void expect_the_same(const Measurement& a, const Measurement& b) {
  EXPECT_EQ(a.engine.packet_hops, b.engine.packet_hops);
  EXPECT_EQ(a.node_busy_ppm, b.node_busy_ppm);
  EXPECT_EQ(a.limits, b.limits);
  ASSERT_EQ(a.traffic.size(), b.traffic.size());
  for (std::size_t i = 0; i < a.traffic.size(); ++i)
    expect_the_same(a.traffic[i], b.traffic[i]);
}

/// Removes the cloud route to the pods of a node at `at`.
inline TimedChange without_cloud_route(Picos at, std::uint32_t node) {
  return {at, [node](node::WorldEditor& world) {
            world.fabric().remove_route(0, node::testing::pod_cidr(node));
          }};
}
/// Restores the cloud route to the pods of a node at `at`.
inline TimedChange with_cloud_route(Picos at, std::uint32_t node) {
  return {at, [node](node::WorldEditor& world) {
            world.fabric().set_route(
                0, node::testing::pod_cidr(node),
                {node::FabricTarget::Instance, node, node::FabricRouteOwner::RouteController});
          }};
}

}  // namespace overlane::run::testing
