#include "bench/suite/bisect.h"

#include <algorithm>
#include <cassert>

namespace overlane::suite {
namespace {

/// The index in [first, end) that is closest to the middle and not in `unknown`.
std::optional<std::size_t> middle_of(std::size_t first, std::size_t end,
                                     const std::vector<std::size_t>& unknown) {
  const std::size_t middle = first + (end - first) / 2;
  std::optional<std::size_t> closest;
  for (std::size_t i = first; i < end; ++i) {
    if (std::ranges::find(unknown, i) != unknown.end()) continue;
    const auto distance = [&](std::size_t index) {
      return index > middle ? index - middle : middle - index;
    };
    if (!closest || distance(i) < distance(*closest)) closest = i;
  }
  return closest;
}

}  // namespace

std::optional<Bisection> bisect(
    std::size_t count, const std::function<std::optional<CommitState>(std::size_t)>& probe) {
  assert(count > 0);
  std::size_t first = 0;  // All commits before it do not have the change.
  std::size_t first_with = count - 1;
  std::vector<std::size_t> unknown;
  while (const auto middle = middle_of(first, first_with, unknown)) {
    const auto shown = probe(*middle);
    if (!shown) return std::nullopt;
    switch (*shown) {
      case CommitState::Without:
        first = *middle + 1;
        break;
      case CommitState::With:
        first_with = *middle;
        break;
      case CommitState::Unknown:
        unknown.push_back(*middle);
        break;
    }
  }
  std::erase_if(unknown, [&](std::size_t i) { return i < first || i >= first_with; });
  std::ranges::sort(unknown);
  return Bisection{first_with, std::move(unknown)};
}

}  // namespace overlane::suite
