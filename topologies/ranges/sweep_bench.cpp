#include <benchmark/benchmark.h>

#include "dataplane/net/testing/measured_items.h"
#include "topologies/ranges/sweep.h"
#include "topologies/ranges/testing/random_texts.h"

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

/// Sums up the ids, so that each pair is looked at.
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

/// Texts in, `result(entries)` out; items are ranges.
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

}  // namespace
}  // namespace overlane::ranges
