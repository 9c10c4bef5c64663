#pragma once

#include <cstdint>

#include "sim/transport/segment.h"

namespace overlane::transport {

/// A bulk flow over a path of unlimited rate that loses only data segments.
struct LossyFlow {
  CongestionControl control = CongestionControl::Cubic;
  Picos delay;                ///< One way.
  std::int64_t every = 0;     ///< One of this many data segments is lost.
  bool random = false;        ///< True: a random one. False: exactly the last one.
  std::int64_t segments = 0;  ///< Approximate number of data segments.
  std::uint64_t seed = 1;
};

/// Mean number of segments that arrive per round trip after the first tenth of the flow.
double mean_window(const LossyFlow& flow);

}  // namespace overlane::transport
