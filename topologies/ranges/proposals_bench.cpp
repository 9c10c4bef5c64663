#include <benchmark/benchmark.h>

#include "dataplane/net/testing/measured_items.h"
#include "topologies/ranges/free_space.h"
#include "topologies/ranges/pod_cidrs.h"
#include "topologies/ranges/testing/random_texts.h"
#include "topologies/ranges/vertex_cover.h"

namespace overlane::ranges {
namespace {

using overlane::testing::MeasuredItems;

/// A hundred free ranges between random ones that are blocked; items are those.
void find_free_ranges(benchmark::State& state) {
  std::vector<IpPrefix> blocked;
  const auto texts = testing::RandomTexts::ipv4(static_cast<std::size_t>(state.range(0)));
  for (const std::string_view line : texts.lines())
    blocked.push_back(*IpPrefix::parse(line));
  const IpPrefix pool = IpPrefix::containing(Ipv4Address{0x0a000000}, 8);
  MeasuredItems measured(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(free_ranges({&pool, 1}, blocked, 24, 100));
  measured.done(state.range(0) * state.iterations());
}
BENCHMARK(find_free_ranges)->Arg(1000)->Arg(1'000'000);

/// Both clusters have half of their pod CIDRs in use, which do not overlap; items are pairs of
/// clusters.
void count_nodes_until_conflict(benchmark::State& state) {
  const auto nodes = static_cast<std::uint64_t>(state.range(0));
  PodCidrAllocation a{IpPrefix::parse("100.64.0.0/11").value(), 24, {}, 0};
  for (std::uint64_t i = 0; i < nodes; ++i)
    a.used.push_back(2 * i);
  PodCidrAllocation b = a;
  for (std::uint64_t& pod_cidr : b.used)
    ++pod_cidr;
  MeasuredItems measured(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(until_conflict(a, b));
  measured.done(state.iterations());
}
BENCHMARK(count_nodes_until_conflict)->Arg(10)->Arg(4096);

/// A clique whose members each have a conflict more, with a vertex of their own; items are members.
void cover_large_clique(benchmark::State& state) {
  const auto members = static_cast<std::uint32_t>(state.range(0));
  ConflictGraph graph;
  graph.vertices = 2ull * members;
  graph.forced.resize(graph.vertices);
  graph.weights.resize(graph.vertices);
  graph.cliques.resize(1);
  for (std::uint32_t i = 0; i < members; ++i) {
    graph.cliques[0].push_back(i);
    graph.edges.emplace_back(i, members + i);
  }
  MeasuredItems measured(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(smallest_cover(graph));
  measured.done(state.range(0) * state.iterations());
}
BENCHMARK(cover_large_clique)->Arg(10'000)->Arg(100'000);

}  // namespace
}  // namespace overlane::ranges
