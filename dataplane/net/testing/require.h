#pragma once

#include <cstdlib>

namespace overlane::testing {

/// Ends the program when a property does not hold: what fuzz targets find, in every build.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace overlane::testing
