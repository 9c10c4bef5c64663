#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace overlane::suite {

/// The result of a measurement of one commit.
enum class CommitState {
  Without,  ///< It is like the good one.
  With,     ///< It has the change.
  Unknown,  ///< It cannot be built, or the case does not run.
};

/// Which commit brought a change.
struct Bisection {
  std::size_t first_with = 0;         ///< The first commit known to have it.
  std::vector<std::size_t> suspects;  ///< Unknown ones right before it: one of them may be it, too.
};

/// Finds the first of `count` commits, the oldest first, that has a change which the last one has
/// and the commit before the first one has not, by halving. An unknown commit is replaced by its
/// neighbours. Nothing if a probe returned nothing: it was stopped.
std::optional<Bisection> bisect(
    std::size_t count, const std::function<std::optional<CommitState>(std::size_t)>& probe);

}  // namespace overlane::suite
