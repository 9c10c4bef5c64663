#include <benchmark/benchmark.h>
#include <vector>

#include "dataplane/net/checksum.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/net/testing/measured_items.h"

namespace overlane {
namespace {

void checksum(benchmark::State& state) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(state.range(0)), 0xa5);
  testing::MeasuredItems measured(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(bytes.data());
    benchmark::DoNotOptimize(internet_checksum(bytes));
  }
  measured.done(state.iterations());
}
BENCHMARK(checksum)->Arg(20)->Arg(64)->Arg(1500)->Arg(9000);

void hash_flows(benchmark::State& state, const char* network) {
  FlowKey flow;
  flow.source = flow.destination = IpAddress::parse(network).value();
  std::uint32_t sum = 0;
  testing::MeasuredItems measured(state);
  for (auto _ : state) {
    ++flow.source_port;
    sum += flow_hash(flow);
  }
  measured.done(state.iterations());
  benchmark::DoNotOptimize(sum);
}
BENCHMARK_CAPTURE(hash_flows, ipv4, "100.96.1.10");
BENCHMARK_CAPTURE(hash_flows, ipv6, "2001:db8::10");

}  // namespace
}  // namespace overlane
