#pragma once

#include <cstdint>
#include <string_view>

namespace overlane::model {

/// How a run ended, from best to worst.
enum class Ending : std::uint8_t {
  Complete,     ///< Ran for the whole duration.
  EventLimit,   ///< Stopped at the event limit.
  Interrupted,  ///< Stopped on request.
};

/// "complete", "event-limit", "interrupted".
std::string_view to_string(Ending ending);

}  // namespace overlane::model
