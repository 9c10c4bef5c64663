#pragma once

#include <cstdint>

#include "sim/transport/tcp_config.h"

namespace overlane::transport {

/// A bulk flow over a path of endless rate that loses data segments and nothing else.
struct LossyFlow {
  CongestionControl control = CongestionControl::Cubic;
  Picos delay;                ///< One way.
  std::int64_t every = 0;     ///< Of so many data segments one is lost:
  bool random = false;        ///< by lot, or exactly the last.
  std::int64_t segments = 0;  ///< How many are sent in all, about.
  std::uint64_t seed = 1;
};

/// Segments that arrive in a round trip, on average behind the first tenth of the flow.
double mean_window(const LossyFlow& flow);

}  // namespace overlane::transport
