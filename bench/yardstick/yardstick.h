#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "results/model/suite_run.h"

namespace overlane::bench {

/// Two small programs that never change and measure how fast this machine currently is. Benchmark
/// times depend on the machine and its load; the ratios of times to yardsticks measured together
/// with them can be compared between nights and between machines.
///
/// Changing a step makes all stored series incomparable: add a third program instead.
class Yardstick {
 public:
  Yardstick();

  /// Returns nanoseconds per step of both programs, medians of three. Takes about 20 ms on the
  /// calling thread.
  model::Yardsticks measure();

 private:
  /// Nanoseconds per step. A step removes the smallest of 1,024 keys from a binary heap and inserts
  /// a larger one, like a simulator's event queue: branches, arithmetic and the first-level cache.
  double compute_ns();
  /// Nanoseconds per step. A step follows a pointer to a random one of 2^19 cache lines (32 MiB):
  /// memory latency, and the share of the last-level cache that other programs leave.
  double memory_ns();

  struct alignas(64) Line {
    std::uint32_t next;
  };

  std::vector<std::uint64_t> heap_;
  std::uint64_t random_ = 1;
  std::vector<Line> lines_;
  std::uint32_t at_ = 0;
};

}  // namespace overlane::bench
