#include <benchmark/benchmark.h>

#include "dataplane/forward/packet_builder.h"
#include "dataplane/net/testing/measured_items.h"
#include "topologies/compile/compile.h"
#include "topologies/graph/testing/shoots.h"
#include "topologies/path/reach/reachability.h"

// Measures Reachability with 1,000 nodes: a walk of one pair, all pairs from scratch, updates after
// changes of a node, a cloud route or the whole fabric, node classes, and groups of pairs.
namespace overlane::path {
namespace {

constexpr std::uint32_t kNodes = 1000;
constexpr std::uint32_t kNode = 500;

using Shoot = effective::EffectiveDataplane (*)();

effective::EffectiveDataplane routed() {
  return graph::testing::routed_shoot();
}
effective::EffectiveDataplane ipip() {
  return graph::testing::ipip_shoot();
}
effective::EffectiveDataplane vxlan() {
  return graph::testing::vxlan_shoot();
}

node::World world_of(Shoot make) {
  const effective::EffectiveDataplane shoot = make();
  const auto topology =
      graph::Topology::build({.shoot = &shoot, .nodes = kNodes, .pods_per_node = 10});
  auto states = compile::compile(*topology, shoot).value();
  return {.nodes = std::move(states.nodes), .fabric = std::move(states.fabric)};
}

/// Measures update() after changes that `flip` makes and reverts in turn.
template <typename Flip>
void update(benchmark::State& state, node::World world, Flip flip) {
  Reachability reachability(world);
  bool there = true;
  overlane::testing::MeasuredItems measured(state);
  for (auto _ : state) {
    node::WorldEditor editor(world);
    flip(editor, there);
    there = !there;
    benchmark::DoNotOptimize(reachability.update(editor.take()));
  }
  measured.done(state.iterations());
  state.counters["walks"] = static_cast<double>(reachability.last_walks());
}

void walk_pairs(benchmark::State& state, Shoot shoot) {
  const node::World world = world_of(shoot);
  const FirstPods pods = first_pods(world, Family::Ipv4);
  const node::InstanceOwners owners(world.fabric);
  forward::WalkSender sender(world.nodes, world.fabric, {.outcome_only = true, .owners = &owners});
  std::uint32_t next = 0;
  std::int64_t lost = 0;
  overlane::testing::MeasuredItems measured(state);
  for (auto _ : state) {
    next = (next + 7) % kNodes;
    const std::uint32_t to = (next + 1) % kNodes;
    const auto packet = forward::PacketBuilder::udp(pods[next]->address, pods[to]->address)
                            .ports(40000, 8080)
                            .length(100)
                            .dont_fragment()
                            .build();
    lost += sender.send(next, packet).drop ? 1 : 0;
  }
  measured.done(state.iterations());
  if (lost != 0) state.SkipWithError("a packet was lost");
}

void compute(benchmark::State& state, Shoot shoot) {
  const node::World world = world_of(shoot);
  overlane::testing::MeasuredItems measured(state);
  for (auto _ : state) {
    const Reachability reachability(world);
    if (reachability.delivered() != std::uint64_t{kNodes} * (kNodes - 1))
      state.SkipWithError("a pair does not deliver");
    state.counters["walks"] = static_cast<double>(reachability.walks());
  }
  measured.done(state.iterations());
}

void classify_nodes(benchmark::State& state, Shoot shoot) {
  const node::World world = world_of(shoot);
  const FirstPods pods = first_pods(world, Family::Ipv4);
  for (auto _ : state)
    benchmark::DoNotOptimize(NodeClasses(world, pods, false));
}

void change_node(benchmark::State& state, Shoot shoot) {
  update(state, world_of(shoot), [](node::WorldEditor& editor, bool there) {
    node::Sysctls sysctls = editor.world().nodes[kNode].sysctls;
    sysctls.ip_forward = !there;
    editor.node(kNode).set_sysctls(sysctls);
  });
}

void change_cloud_route(benchmark::State& state, Shoot shoot) {
  const node::World world = world_of(shoot);
  const IpPrefix pod_cidr = world.nodes[kNode].member().ipv4->pod_cidr;
  update(state, world, [=](node::WorldEditor& editor, bool there) {
    for (std::uint32_t table = 0; table < editor.world().fabric.route_tables.size(); ++table) {
      if (there) editor.fabric().remove_route(table, pod_cidr);
      if (!there)
        editor.fabric().set_route(
            table, pod_cidr,
            {node::FabricTarget::Instance, kNode, node::FabricRouteOwner::RouteController});
    }
  });
}

void change_fabric(benchmark::State& state, Shoot shoot) {
  update(state, world_of(shoot),
         [](node::WorldEditor& editor, bool there) { editor.fabric().set_mtu(there ? 90 : 1500); });
}

/// A cluster in the middle of a roll-out: 50 nodes lack the route to a peer and differ from all
/// others.
void change_fabric_with_odd_nodes(benchmark::State& state, Shoot shoot) {
  node::World world = world_of(shoot);
  for (std::uint32_t n = 0; n < 50; ++n)
    node::NodeEditor(world.nodes[n * 20])
        .remove_route(world.nodes[n * 20 + 1].member().ipv4->pod_cidr);
  update(state, world,
         [](node::WorldEditor& editor, bool there) { editor.fabric().set_mtu(there ? 90 : 1500); });
}

/// A cluster in which every node has an own route to each peer.
void change_fabric_with_own_routes(benchmark::State& state, Shoot shoot) {
  node::World world = world_of(shoot);
  for (node::NodeState& node : world.nodes) {
    node::NodeEditor editor(node);
    for (const node::Member& peer : node.cluster->members())
      if (&peer != &node.member())
        editor.set_route(peer.ipv4->pod_cidr, {.device = "eth0", .via = peer.ipv4->node});
  }
  update(state, world,
         [](node::WorldEditor& editor, bool there) { editor.fabric().set_mtu(there ? 90 : 1500); });
}

void group_pairs(benchmark::State& state, Shoot shoot) {
  const node::World world = world_of(shoot);
  const Reachability reachability(world);
  for (auto _ : state)
    benchmark::DoNotOptimize(reachability.groups());
}

BENCHMARK_CAPTURE(walk_pairs, routed, routed)->Name("reach/walk-routed");
BENCHMARK_CAPTURE(walk_pairs, ipip, ipip)->Name("reach/walk-ipip");
BENCHMARK_CAPTURE(walk_pairs, vxlan, vxlan)->Name("reach/walk-vxlan");
BENCHMARK_CAPTURE(classify_nodes, routed, routed)
    ->Name("reach/classify-routed")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compute, routed, routed)
    ->Name("reach/compute-routed")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compute, ipip, ipip)->Name("reach/compute-ipip")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compute, vxlan, vxlan)
    ->Name("reach/compute-vxlan")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(change_node, routed, routed)
    ->Name("reach/change-node-routed")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(change_node, vxlan, vxlan)
    ->Name("reach/change-node-vxlan")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(change_cloud_route, routed, routed)
    ->Name("reach/change-cloud-route")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(change_fabric, routed, routed)
    ->Name("reach/change-fabric-routed")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(change_fabric_with_odd_nodes, ipip, ipip)
    ->Name("reach/change-fabric-odd-nodes-ipip")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(change_fabric_with_own_routes, routed, routed)
    ->Name("reach/change-fabric-own-routes")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(group_pairs, routed, routed)
    ->Name("reach/groups-routed")
    ->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace overlane::path
