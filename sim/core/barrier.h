#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>

namespace overlane::core {

/// Lets the threads of a run wait for each other between two windows of simulated time. Unlike
/// std::barrier, a waiting thread spins for a while before it sleeps: in most rounds the others
/// arrive sooner than a sleeping thread could be woken. Can be used for any number of rounds.
class Barrier {
 public:
  /// `threads` is > 0.
  explicit Barrier(std::uint32_t threads) : threads_(threads) { assert(threads > 0); }

  /// Returns when all threads have called it and complete() has returned. The last thread to arrive
  /// calls complete() while the others wait; what it writes is visible to all of them.
  template <typename Complete>
  void wait(Complete complete) {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      complete();
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    for (int spins = 0; spins < kMaxSpins; ++spins) {
      if (round_.load(std::memory_order_acquire) != round) return;
      pause();
    }
    round_.wait(round, std::memory_order_acquire);
  }

 private:
  /// Tells the processor that this thread waits.
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  /// Takes some tenths of a millisecond: a few times as long as to put a thread to sleep and wake
  /// it.
  static constexpr int kMaxSpins = 10'000;

  std::uint32_t threads_;
  alignas(64) std::atomic<std::uint32_t> arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> round_ = 0;
};

}  // namespace overlane::core
