#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace overlane::runner {

/// The number of threads that was asked for; 0: one per core.
inline std::uint32_t thread_count(std::uint32_t asked) {
  return asked != 0 ? asked : std::max(1u, std::thread::hardware_concurrency());
}

/// How many of `threads` each of `count` tasks may use that run in_parallel().
inline std::uint32_t threads_of_each(std::size_t count, std::uint32_t threads) {
  return std::max(1u, threads / static_cast<std::uint32_t>(std::max<std::size_t>(count, 1)));
}

/// Runs `count` independent tasks on the given number of threads, and starts them in order.
template <typename Task>
void in_parallel(std::size_t count, std::uint32_t threads, const Task& task) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++)
      task(i);
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i)
    others.emplace_back(work);
  work();
}

}  // namespace overlane::runner
