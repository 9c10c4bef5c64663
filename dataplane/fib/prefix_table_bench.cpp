#include <benchmark/benchmark.h>
#include <vector>

#include "dataplane/fib/prefix_table.h"
#include "dataplane/net/testing/measured_items.h"
#include "sim/random/stream.h"

namespace overlane::fib {
namespace {

/// Lookups in a table with one /24 per node and a default route. Every lookup must find a pod CIDR.
void pod_cidrs(benchmark::State& state) {
  const auto pod_cidrs = static_cast<std::uint32_t>(state.range(0));
  PrefixTable<std::uint32_t> table;
  table.set(IpPrefix::containing(Ipv4Address{}, 0), 0);
  const auto pod_cidr = [](std::uint32_t i) { return Ipv4Address{0x64600000 + (i << 8)}; };
  for (std::uint32_t i = 0; i < pod_cidrs; ++i)
    table.set(IpPrefix::containing(pod_cidr(i), 24), 1);
  RandomStream random(1, StreamUse::Pattern, 0);
  std::vector<IpAddress> addresses(4096);
  for (IpAddress& address : addresses) {
    const std::uint32_t pod =
        pod_cidr(static_cast<std::uint32_t>(random.below(pod_cidrs))).bits + 10;
    address = Ipv4Address{pod};
  }
  std::int64_t found = 0;
  testing::MeasuredItems measured(state);
  for (auto _ : state) {
    for (const IpAddress& address : addresses)
      found += table.longest_match(address)->second;
  }
  const auto lookups = static_cast<std::int64_t>(addresses.size()) * state.iterations();
  measured.done(lookups);
  if (found != lookups) state.SkipWithError("a lookup found the wrong route");
}
BENCHMARK(pod_cidrs)->Arg(256)->Arg(5000);

}  // namespace
}  // namespace overlane::fib
