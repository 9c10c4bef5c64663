#include "dataplane/capture/captured_packet.h"

#include <fmt/format.h>

namespace overlane::capture {

std::string Timestamp::to_string() const {
  return fmt::format("{}.{:09}", seconds, nanoseconds);
}

}  // namespace overlane::capture
