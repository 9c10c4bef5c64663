#pragma once

#include <atomic>
#include <cstdint>

namespace overlane::core {

/// Lets threads wait for each other. Unlike std::barrier, a thread that waits keeps its core for a
/// while: to sleep and be woken takes longer than what is mostly left to wait for.
class Barrier {
 public:
  explicit Barrier(std::uint32_t threads) : threads_(threads) {}

  /// Returns when all threads have come, behind complete(), which the last to come calls while the
  /// others wait.
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
    for (int looks = 0; looks < kLooks; ++looks) {
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

  /// Some tenths of a millisecond: a few times what takes a thread to sleep and be woken.
  static constexpr int kLooks = 10'000;

  std::uint32_t threads_;
  alignas(64) std::atomic<std::uint32_t> arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> round_ = 0;
};

}  // namespace overlane::core
