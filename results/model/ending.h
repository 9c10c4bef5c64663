#pragma once

#include <cstdint>

namespace overlane::model {

/// How a run ended, from best to worst.
enum class Ending : std::uint8_t {
  Complete,     ///< Ran for the whole duration.
  EventLimit,   ///< Stopped at the event limit.
  Interrupted,  ///< Stopped on request.
};

}  // namespace overlane::model
