#pragma once

#include <cstdlib>

namespace overlane::testing {

/// Ends the program in every build if a property does not hold. For fuzz targets.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace overlane::testing
