#include "bench/yardstick/yardstick.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>

#include "sim/random/stream.h"

namespace overlane::bench {
namespace {

constexpr std::size_t kKeys = 1024;
constexpr std::size_t kLines = std::size_t{1} << 19;
constexpr int kComputeSteps = 60'000;
constexpr int kMemorySteps = 30'000;

/// The next number of Marsaglia's xorshift64 ("Xorshift RNGs", 2003).
std::uint64_t next(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/// Replaces the root of the heap with `key` and restores the heap order.
void replace_root(std::uint64_t* heap, std::uint64_t key) {
  std::size_t at = 0;
  for (std::size_t child = 1; child < kKeys; child = 2 * at + 1) {
    if (child + 1 < kKeys && heap[child + 1] < heap[child]) ++child;
    if (key <= heap[child]) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = key;
}

template <typename Steps>
double median_of_three(int count, Steps steps) {
  using Clock = std::chrono::steady_clock;
  std::array<double, 3> times;
  for (double& time : times) {
    const auto start = Clock::now();
    steps(count);
    time = std::chrono::duration<double, std::nano>(Clock::now() - start).count() / count;
  }
  std::ranges::sort(times);
  return times[1];
}

}  // namespace

Yardstick::Yardstick() : heap_(kKeys), lines_(kLines) {
  std::iota(heap_.begin(), heap_.end(), std::uint64_t{0});
  // One cycle through all lines (Sattolo, 1986).
  std::vector<std::uint32_t> order(kLines);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  RandomStream stream(1, StreamUse::Pattern, 0);
  for (std::size_t i = kLines - 1; i > 0; --i)
    std::swap(order[i], order[stream.below(i)]);
  for (std::size_t i = 0; i < kLines; ++i)
    lines_[i].next = order[i];
}

model::Yardsticks Yardstick::measure() {
  return {.compute_ns = compute_ns(), .memory_ns = memory_ns()};
}

double Yardstick::compute_ns() {
  return median_of_three(kComputeSteps, [this](int steps) {
    constexpr std::uint64_t kFarthest = 1 << 20;
    for (int i = 0; i < steps; ++i)
      replace_root(heap_.data(), heap_[0] + next(random_) % kFarthest);
  });
}

double Yardstick::memory_ns() {
  return median_of_three(kMemorySteps, [this](int steps) {
    std::uint32_t at = at_;
    for (int i = 0; i < steps; ++i)
      at = lines_[at].next;
    at_ = at;  // Stores the result so that the compiler cannot remove the loop.
  });
}

}  // namespace overlane::bench
