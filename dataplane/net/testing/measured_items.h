#pragma once

#include <benchmark/benchmark.h>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace overlane::testing {

/// The time stamp counter: constant-rate ticks, not cycles of a core with a variable clock. 0 on
/// machines without this counter.
inline std::uint64_t tsc() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

/// Measures the items per second of a benchmark's loop. Construct it before the loop, and report
/// the number of items after the loop.
class MeasuredItems {
 public:
  explicit MeasuredItems(benchmark::State& state) : state_(state) {}

  /// Sets the items per second, and the ticks of the TSC for each.
  void done(std::int64_t items) {
    const auto ticks = static_cast<double>(tsc() - start_);
    state_.SetItemsProcessed(items);
    state_.counters["tsc"] = ticks / static_cast<double>(items);
  }

 private:
  benchmark::State& state_;
  std::uint64_t start_ = tsc();
};

}  // namespace overlane::testing
