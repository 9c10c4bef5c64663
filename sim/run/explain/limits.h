#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/run/app/flows.h"
#include "sim/run/inputs/parameter.h"
#include "sim/run/packet/accounts.h"
#include "sim/run/path/node_paths.h"

namespace overlane::run {

/// A station counts as what limits a flow when it was busy for at least this share of the
/// measurement, in parts per million.
inline constexpr std::int64_t kSaturatedPpm = 950'000;

/// A cap or an allowance counts only when packets waited for it for at least this share, in parts
/// per million: while its burst lasts, it limits nobody.
inline constexpr std::int64_t kMinHeldBackPpm = 50'000;

/// Most flows of one group whose limits are listed separately.
inline constexpr std::size_t kLimitsPerGroup = 8;

/// When busy times were measured: from the end of the warm-up to that of the run.
struct Period {
  Picos from;
  Picos to;  ///< After `from`.
};

/// What limits a flow, and the constants that make it, the first one most directly.
struct FoundLimit {
  model::Limit limit;
  std::vector<Parameter> constants;  ///< Nothing: no number, but a state entry makes it.
};

/// What kept each flow from going faster, read off the measurements of a run: the busiest station
/// on its way when one is saturated, else the window that stopped its sender most of the time, else
/// its own application. One flow per distinct answer and group.
std::vector<FoundLimit> find_limits(const Network& network,
                                    const std::vector<TrafficGroup>& traffic, const Flows& flows,
                                    const NodePaths& paths, const Accounts& accounts,
                                    const Period& measured);

}  // namespace overlane::run
