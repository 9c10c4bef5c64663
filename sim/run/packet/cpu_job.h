#pragma once

#include <cstddef>

#include "dataplane/net/units.h"
#include "sim/run/packet/packet_in_flight.h"
#include "sim/run/packet/segment_train.h"

namespace overlane::run {

// What a core is about to do for the packets that it has just taken.

/// A packet that has been decided on, and how long cores work on it.
struct CpuJob {
  PacketId id = kNone;
  Picos poll;  ///< The one that polls, before it hands on; only where RPS is on.
  Picos time;
};
/// A buffer that GRO adds to, of one stream.
struct Merging {
  EndId sender = 0;
  std::size_t work = 0;  ///< Position in the list of its first packet.
  SegmentTrain train{true};
};

}  // namespace overlane::run
