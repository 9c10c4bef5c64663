#pragma once

#include <atomic>
#include <cstdint>

namespace overlane::dpdk {

/// A counter that one core writes and any reads.
class Count {
 public:
  void operator+=(std::uint64_t n) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  operator std::uint64_t() const { return value_.load(std::memory_order_relaxed); }  // NOLINT

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

}  // namespace overlane::dpdk
