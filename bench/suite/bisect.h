#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace overlane::suite {

/// The result of a measurement of one commit.
enum class CommitState {
  Without,  ///< Behaves like the good commit.
  With,     ///< Has the change.
  Unknown,  ///< Cannot be built, or the case does not run.
};

/// The commit that introduced a change.
struct Bisection {
  std::size_t first_with = 0;         ///< Index of the first commit known to have the change.
  std::vector<std::size_t> suspects;  ///< Unknown commits directly before it, each of which may be
                                      ///< the first one instead.
};

/// Finds by binary search the first of `count` commits (oldest first) that has a change. The last
/// commit has the change, and the commit before the first one does not. `probe` returns the state
/// of a commit; if it is Unknown, neighbouring commits are tried. Returns nothing if `probe`
/// returned nothing, because it was stopped.
std::optional<Bisection> bisect(
    std::size_t count, const std::function<std::optional<CommitState>(std::size_t)>& probe);

}  // namespace overlane::suite
