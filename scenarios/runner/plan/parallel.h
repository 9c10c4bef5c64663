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

/// Returns the number of cores, rounded up, that a control group with this `cpu.max` lets the
/// program use in the long run (Linux, Documentation/admin-guide/cgroup-v2.rst): "200000 100000"
/// gives two. Nothing if there is no limit.
std::optional<std::uint32_t> allowed_cores(std::string_view cpu_max);

/// Returns `asked`. If `asked` is 0, returns the number of cores that the program may use; the
/// control group (for example of a container) can limit it.
std::uint32_t thread_count(std::uint32_t asked);

/// Returns the number of threads that each of `count` tasks may use if they run in_parallel() on
/// `threads` threads; at least 1.
inline std::uint32_t threads_of_each(std::size_t count, std::uint32_t threads) {
  return std::max(1u, threads / static_cast<std::uint32_t>(std::max<std::size_t>(count, 1)));
}

/// Receives the number of finished tasks out of `count`. Several threads may call it at the same
/// time. May be empty.
using TasksDone = std::function<void(std::size_t done, std::size_t count)>;

/// Runs `count` independent tasks on at most `threads` threads, including the calling one, and
/// starts them in order. Returns when all tasks have finished.
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
