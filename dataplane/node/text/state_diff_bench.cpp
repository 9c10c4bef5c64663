#include <benchmark/benchmark.h>

#include "dataplane/net/testing/measured_items.h"
#include "dataplane/node/state/world.h"
#include "dataplane/node/testing/cluster.h"
#include "dataplane/node/text/state_diff.h"

namespace overlane::node {
namespace {

/// One route leaves the tunnel on a node with `nodes` peers. Both states share their table.
void one_route(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  const auto cluster = testing::make_cluster(
      {.encapsulation = Encapsulation::Ipip, .nodes = nodes, .pods_per_node = 1});
  NodeState after = cluster.nodes[0];
  NodeEditor(after).remove_route(testing::pod_cidr(1));
  overlane::testing::MeasuredItems measured(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(diff(cluster.nodes[0], after));
  measured.done(state.iterations());
}
BENCHMARK(one_route)->Arg(200);

/// One route changed between states that do not share the table: every route is expanded.
void one_route_in_a_copied_table(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  const auto cluster = testing::make_cluster(
      {.encapsulation = Encapsulation::Ipip, .nodes = nodes, .pods_per_node = 1});
  NodeState after = cluster.nodes[0];
  after.cluster = std::make_shared<const ClusterTable>(*after.cluster);
  NodeEditor(after).remove_route(testing::pod_cidr(1));
  overlane::testing::MeasuredItems measured(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(diff(cluster.nodes[0], after));
  measured.done(state.iterations());
}
BENCHMARK(one_route_in_a_copied_table)->Arg(200);

}  // namespace
}  // namespace overlane::node
