#pragma once

#include <cstdint>

#include "dataplane/node/runtime/conntrack_tcp.h"
#include "sim/transport/segment.h"

namespace overlane::run {

/// The flags of a segment that connection tracking looks at.
inline std::uint8_t tracked_flags(const transport::Segment& segment) {
  return static_cast<std::uint8_t>(
      (segment.syn ? node::kTrackedSyn : 0) | (segment.ack ? node::kTrackedAck : 0) |
      (segment.fin ? node::kTrackedFin : 0) | (segment.rst ? node::kTrackedRst : 0));
}

}  // namespace overlane::run
