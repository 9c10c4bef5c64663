#pragma once

#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <vector>

#include "dataplane/encap/testing/packet_pool.h"
#include "dataplane/net/testing/measured_items.h"

namespace overlane::encap::testing {

// Paired measurements: passes of two functions over the same packets alternate, so that both see
// the same clock rate and the same load of the machine.

/// Time of one pass over a pool per packet, in nanoseconds and in ticks of the TSC.
struct PassTime {
  double ns = 0;
  double tsc = 0;
};

/// Times one pass over the pool. `work(i, received)` processes a packet and returns a number that
/// depends on the result; the numbers of one round over the pool must sum to `expected`. Buffers
/// are prefetched as in the loop of a driver. A pool of fewer than 4,096 buffers is repeated.
template <typename Work>
PassTime pass(benchmark::State& state, const PacketPool& pool, std::uint64_t expected,
              const Work& work) {
  constexpr std::size_t kMin = 4096;
  constexpr std::size_t kAhead = 12;
  const auto received = pool.received();
  const std::size_t packets = std::max(received.size(), kMin);
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t start_tsc = overlane::testing::tsc();
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < packets; ++i) {
    const PacketPool::Received& packet = received[i & (received.size() - 1)];
    PacketPool::fetch(packet, kAhead);
    sum += work(i, packet);
    // The compiler must not keep values of one packet for the next one.
    benchmark::ClobberMemory();
  }
  const auto tsc = static_cast<double>(overlane::testing::tsc() - start_tsc);
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  if (sum != expected * (packets / received.size())) state.SkipWithError("the work was not done");
  return {time.count() / static_cast<double>(packets), tsc / static_cast<double>(packets)};
}

/// The median of `of(value)` over all values.
template <typename Value, typename Of>
double median(std::vector<Value> values, const Of& of) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle, {}, of);
  return of(*middle);
}

/// Alternates passes of `full` and of `least` over the same buffers. Reports the medians of their
/// times, and of the ratio within each pair of passes.
template <typename Full, typename Least>
void run_paired(benchmark::State& state, const PacketPool& pool, std::uint64_t expected,
                const Full& full, const Least& least) {
  struct Pair {
    PassTime full;
    PassTime least;
  };
  std::vector<Pair> pairs;
  for (auto _ : state) {
    Pair pair;
    pair.full = pass(state, pool, expected, full);
    pair.least = pass(state, pool, expected, least);
    pairs.push_back(pair);
    state.SetIterationTime((pair.full.ns + pair.least.ns) * 1e-9);
  }
  if (pairs.empty()) return;
  auto& counters = state.counters;
  counters["ns"] = median(pairs, [](const Pair& pair) { return pair.full.ns; });
  counters["tsc"] = median(pairs, [](const Pair& pair) { return pair.full.tsc; });
  counters["least_ns"] = median(pairs, [](const Pair& pair) { return pair.least.ns; });
  counters["least_tsc"] = median(pairs, [](const Pair& pair) { return pair.least.tsc; });
  counters["ratio"] = median(pairs, [](const Pair& pair) { return pair.full.ns / pair.least.ns; });
}

}  // namespace overlane::encap::testing
