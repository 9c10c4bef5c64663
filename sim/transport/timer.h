#pragma once

#include <limits>

#include "dataplane/net/units.h"

namespace overlane::transport {

/// A time that does not come: a timer that is not set, something that has not happened.
inline constexpr Picos kNever{std::numeric_limits<std::int64_t>::max()};

}  // namespace overlane::transport
