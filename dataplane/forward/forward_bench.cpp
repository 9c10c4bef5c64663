#include <benchmark/benchmark.h>

#include "dataplane/forward/forward.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::forward {
namespace {

/// One node decides about packets of its pod to a pod of another node; every one must go out.
void send(benchmark::State& state, Encapsulation encapsulation) {
  const auto cluster = node::testing::make_cluster({.encapsulation = encapsulation, .nodes = 256});
  node::NodeRuntime runtime;
  Outcome outcome;
  std::int64_t sent = 0;
  std::uint32_t peer = 0;
  for (auto _ : state) {
    peer = peer % 255 + 1;
    const Packet packet{.inner = {.source = node::testing::pod(0),
                                  .destination = node::testing::pod(peer),
                                  .total_length = 50,
                                  .protocol = kUdp},
                        .source_port = 40000,
                        .destination_port = 5201};
    forward(cluster.nodes[0], runtime, packet, Ingress::Pod, {}, outcome);
    sent += outcome.emissions.size() == 1 ? 1 : 0;
  }
  if (sent != state.iterations()) state.SkipWithError("a packet was not sent");
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(send, routed, Encapsulation::None)->Name("forward/routed");
BENCHMARK_CAPTURE(send, ipip, Encapsulation::Ipip)->Name("forward/ipip");
BENCHMARK_CAPTURE(send, vxlan, Encapsulation::Vxlan)->Name("forward/vxlan");

}  // namespace
}  // namespace overlane::forward
