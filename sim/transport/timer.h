#pragma once

#include <limits>

#include "dataplane/net/units.h"

namespace overlane::transport {

/// Never: a timer that is not set, or an event that has not happened.
inline constexpr Picos kNever{std::numeric_limits<std::int64_t>::max()};

}  // namespace overlane::transport
