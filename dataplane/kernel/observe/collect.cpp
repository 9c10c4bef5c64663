#include "dataplane/kernel/observe/collect.h"

#include <algorithm>
#include <poll.h>
#include <vector>

namespace overlane::kernel {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// False when the time is over and nothing waits.
bool wait_for_packets(std::span<const int> fds, milliseconds time) {
  std::vector<pollfd> waiting;
  for (const int fd : fds)
    waiting.push_back({fd, POLLIN, 0});
  return poll(waiting.data(), waiting.size(), static_cast<int>(time.count())) > 0;
}

}  // namespace

void collect(std::span<const int> fds, std::size_t expected, milliseconds quiet,
             const std::function<std::size_t()>& take) {
  const auto end = Clock::now() + kPatience;
  std::size_t taken = 0;
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    const bool complete = taken >= expected;
    if (!wait_for_packets(fds, complete ? quiet : std::max(left, milliseconds{0}))) return;
    if (complete && Clock::now() > end) return;
    taken = take();
  }
}

}  // namespace overlane::kernel
