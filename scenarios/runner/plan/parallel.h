#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

namespace overlane::runner {

/// How many cores the control group lets this program use in the long run, rounded up, by its
/// `cpu.max` (Linux, Documentation/admin-guide/cgroup-v2.rst): "200000 100000" are two. Nothing
/// where that says no limit.
std::optional<std::uint32_t> allowed_cores(std::string_view cpu_max);

/// The number of threads that was asked for; 0: one per core, of those that the control group
/// allows (a container's limit).
std::uint32_t thread_count(std::uint32_t asked);

/// How many of `threads` each of `count` tasks may use that run in_parallel().
inline std::uint32_t threads_of_each(std::size_t count, std::uint32_t threads) {
  return std::max(1u, threads / static_cast<std::uint32_t>(std::max<std::size_t>(count, 1)));
}

/// Told how many of `count` tasks are done, on any thread and by several at once. May be empty.
using TasksDone = std::function<void(std::size_t done, std::size_t count)>;

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
template <typename Task>
void in_parallel(std::size_t count, std::uint32_t threads, const Task& task,
                 const TasksDone& told) {
  if (!told) return in_parallel(count, threads, task);
  std::atomic<std::size_t> done = 0;
  told(0, count);
  in_parallel(count, threads, [&](std::size_t i) {
    task(i);
    told(++done, count);
  });
}

}  // namespace overlane::runner
