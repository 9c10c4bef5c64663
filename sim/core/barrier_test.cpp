#include "sim/core/barrier.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace overlane::core {
namespace barrier_test {

/// Each round, all threads add to one sum each, and one of them takes the sums.
TEST(Barrier, LetsNobodyGoOnBeforeAllHaveCome) {
  constexpr std::uint32_t kThreads = 3;
  constexpr std::int64_t kRounds = 2'000;
  Barrier barrier(kThreads);
  std::vector<std::int64_t> sums(kThreads);
  std::int64_t all = 0;
  std::int64_t rounds = 0;
  const auto work = [&](std::uint32_t thread) {
    for (std::int64_t round = 0; round < kRounds; ++round) {
      EXPECT_EQ(rounds, round);
      if (thread == 0 && round % 500 == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      sums[thread] = round;
      barrier.wait([&] {
        for (const std::int64_t sum : sums)
          all += sum;
        ++rounds;
      });
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t thread = 0; thread < kThreads; ++thread)
      threads.emplace_back(work, thread);
  }
  EXPECT_EQ(all, kThreads * kRounds * (kRounds - 1) / 2);
}

}  // namespace barrier_test
}  // namespace overlane::core
