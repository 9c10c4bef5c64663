#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "results/model/suite_run.h"

namespace overlane::bench {

/// Two small programs that never change, to tell how fast this machine is at the moment. Times that
/// were measured beside them can be compared by their ratios to them, over nights, neighbours and
/// machines; the times themselves cannot.
///
/// Changing what a step does breaks every series in every store: make a third program instead.
class Yardstick {
 public:
  Yardstick();

  /// Nanoseconds per step of each, medians of three, in about 20 ms on the calling thread.
  model::Yardsticks measure();

 private:
  /// A step takes the least of 1,024 keys from a binary heap and puts in a later one, as a
  /// simulator's event queue does: branches, arithmetic and the first-level cache.
  double compute_ns();
  /// A step follows a pointer to a random one of 2^19 cache lines (32 MiB): the memory's latency,
  /// and what neighbours leave of the last-level cache.
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
