#include <benchmark/benchmark.h>

#include "dataplane/net/testing/measured_items.h"
#include "topologies/ranges/free_space.h"
#include "topologies/ranges/pod_cidrs.h"
#include "topologies/ranges/sweep.h"
#include "topologies/ranges/testing/random_texts.h"
#include "topologies/ranges/vertex_cover.h"

namespace overlane::ranges {

namespace {

using testing::RandomTexts;
using MakeTexts = RandomTexts(std::size_t);

std::vector<IndexedRange> read(const std::vector<std::string_view>& lines) {
  std::vector<IndexedRange> entries;
  entries.reserve(lines.size());
  for (const std::string_view line : lines)
    entries.push_back({*IpPrefix::parse(line), static_cast<std::uint32_t>(entries.size())});
  return entries;
}

std::uint64_t count_by_pairs(const std::vector<IndexedRange>& entries) {
  std::uint64_t pairs = 0;
  for (std::size_t a = 0; a < entries.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b)
      pairs += entries[a].range.overlaps(entries[b].range) ? 1 : 0;
  }
  return pairs;
}

/// Sums up the ids, so that the compiler keeps the visit of each pair.
std::uint64_t visit_pairs(const std::vector<IndexedRange>& sorted) {
  std::vector<std::uint32_t> open;
  std::uint64_t sum = 0;
  const auto enter = [&](const IndexedRange& entry) {
    for (const std::uint32_t other : open)
      sum += other ^ entry.id;
    open.push_back(entry.id);
  };
  sweep(sorted, enter, [&](const IndexedRange&) { open.pop_back(); });
  return sum;
}

/// Measures `result` of the entries read from texts; items are ranges.
template <typename Of>
void measure(benchmark::State& state, MakeTexts* make, Of result) {
  const RandomTexts texts = make(static_cast<std::size_t>(state.range(0)));
  const auto lines = texts.lines();
  std::uint64_t out = 0;
  overlane::testing::MeasuredItems measured(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(out = result(read(lines)));
  measured.done(state.range(0) * state.iterations());
  state.SetComplexityN(state.range(0));
}

void read_only(benchmark::State& state, MakeTexts* make) {
  measure(state, make, [](const std::vector<IndexedRange>& entries) { return entries.size(); });
}

void count(benchmark::State& state, MakeTexts* make) {
  std::uint64_t pairs = 0;
  measure(state, make, [&](std::vector<IndexedRange> entries) {
    sort(entries);
    return pairs = count_pairs(entries);
  });
  state.counters["pairs"] = static_cast<double>(pairs);
}

void visit(benchmark::State& state, MakeTexts* make) {
  measure(state, make, [](std::vector<IndexedRange> entries) {
    sort(entries);
    return visit_pairs(entries);
  });
}

void pairwise(benchmark::State& state, MakeTexts* make) {
  measure(state, make, count_by_pairs);
}

void sizes(benchmark::internal::Benchmark* what) {
  what->RangeMultiplier(10)->Range(1000, 1'000'000)->Unit(benchmark::kMillisecond);
}
void sizes_n_log_n(benchmark::internal::Benchmark* what) {
  sizes(what);
  what->Complexity(benchmark::oNLogN);
}

BENCHMARK_CAPTURE(read_only, few_ipv4, RandomTexts::ipv4)->Apply(sizes);
BENCHMARK_CAPTURE(read_only, few_ipv6, RandomTexts::ipv6)->Apply(sizes);
BENCHMARK_CAPTURE(count, few_ipv4, RandomTexts::ipv4)->Apply(sizes_n_log_n);
BENCHMARK_CAPTURE(count, few_ipv6, RandomTexts::ipv6)->Apply(sizes_n_log_n);
BENCHMARK_CAPTURE(count, identical, RandomTexts::identical)->Apply(sizes_n_log_n);
BENCHMARK_CAPTURE(count, nested, RandomTexts::nested)->Apply(sizes_n_log_n);
BENCHMARK_CAPTURE(visit, few_ipv4, RandomTexts::ipv4)->Apply(sizes);
BENCHMARK_CAPTURE(pairwise, few_ipv4, RandomTexts::ipv4)
    ->Arg(1000)
    ->Arg(10'000)
    ->Unit(benchmark::kMillisecond);

using overlane::testing::MeasuredItems;

/// Finds a hundred free ranges between random blocked ones; items are blocked ranges.
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

/// Each cluster has half of its pod CIDRs in use, and these do not overlap; items are pairs of
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

/// A clique whose members each have one more conflict, with a vertex of their own; items are
/// members.
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
