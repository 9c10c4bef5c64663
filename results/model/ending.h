#pragma once

#include <cstdint>

namespace overlane::model {

/// How a run came to its end. Of several, the largest counts.
enum class Ending : std::uint8_t {
  Complete,     ///< It lasted as long as it should.
  EventLimit,   ///< It took as many events as it may.
  Interrupted,  ///< It was asked to stop.
};

}  // namespace overlane::model
