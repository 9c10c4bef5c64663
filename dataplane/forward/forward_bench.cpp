#include <benchmark/benchmark.h>
#include <span>
#include <vector>

#include "dataplane/forward/forward.h"
#include "dataplane/forward/packet_builder.h"
#include "dataplane/net/testing/measured_items.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::forward {
namespace {

constexpr std::uint32_t kNodes = 256;

node::testing::Cluster cluster_with(Encapsulation encapsulation) {
  return node::testing::make_cluster({.encapsulation = encapsulation, .nodes = kNodes});
}

Packet to_pod_of(std::uint32_t peer) {
  return PacketBuilder::udp(node::testing::pod(0), node::testing::pod(peer))
      .ports(40000, 5201)
      .length(50)
      .build();
}

/// Lets one node decide about `packets` in turn. Each packet must cause one emission.
void decide(benchmark::State& state, const node::NodeState& node, std::span<const Packet> packets,
            Ingress ingress) {
  node::NodeRuntime runtime;
  Outcome outcome;
  std::int64_t sent = 0;
  std::size_t next = 0;
  overlane::testing::MeasuredItems measured(state);
  for (auto _ : state) {
    forward(node, runtime, packets[next], ingress, {}, outcome);
    sent += outcome.emissions.size() == 1 ? 1 : 0;
    next = next + 1 == packets.size() ? 0 : next + 1;
  }
  measured.done(state.iterations());
  if (sent != state.iterations()) state.SkipWithError("a packet was not sent");
}

/// Returns packets from a pod of a node to the pods of all other nodes.
void send(benchmark::State& state, Encapsulation encapsulation) {
  const auto cluster = cluster_with(encapsulation);
  std::vector<Packet> packets;
  for (std::uint32_t peer = 1; peer < kNodes; ++peer)
    packets.push_back(to_pod_of(peer));
  decide(state, cluster.nodes[0], packets, Ingress::Pod);
}

/// Returns packets from all other nodes at the node where they arrive.
void receive(benchmark::State& state, Encapsulation encapsulation) {
  const auto cluster = cluster_with(encapsulation);
  std::vector<Packet> packets;
  for (std::uint32_t peer = 1; peer < kNodes; ++peer) {
    Packet packet = to_pod_of(0);
    packet.inner.source = node::testing::pod(peer);
    node::NodeRuntime runtime;
    Outcome outcome;
    forward(cluster.nodes[peer], runtime, packet, Ingress::Pod, {}, outcome);
    packets.push_back(outcome.emissions.at(0).packet);
  }
  decide(state, cluster.nodes[0], packets, Ingress::Uplink);
}

BENCHMARK_CAPTURE(send, routed, Encapsulation::None)->Name("forward/send-routed");
BENCHMARK_CAPTURE(send, ipip, Encapsulation::Ipip)->Name("forward/send-ipip");
BENCHMARK_CAPTURE(send, vxlan, Encapsulation::Vxlan)->Name("forward/send-vxlan");
BENCHMARK_CAPTURE(receive, routed, Encapsulation::None)->Name("forward/receive-routed");
BENCHMARK_CAPTURE(receive, ipip, Encapsulation::Ipip)->Name("forward/receive-ipip");
BENCHMARK_CAPTURE(receive, vxlan, Encapsulation::Vxlan)->Name("forward/receive-vxlan");

}  // namespace
}  // namespace overlane::forward
