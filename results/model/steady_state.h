#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/net/units.h"

namespace overlane::model {

/// Whether a figure was steady during the measurement window.
struct SteadyState {
  bool reached = false;
  Picos from;  ///< Start of the steady part of the run; the window's start if not reached.
  /// Mean of the last third of the evaluated batches minus that of the first third, divided by the
  /// mean of all; 0 if not significant.
  std::int64_t drift_ppm = 0;
  /// Bias of the window's mean caused by the part before `from`: the window's mean divided by the
  /// steady mean, minus 1. 0 if there is no such part or the bias is not significant.
  std::int64_t bias_ppm = 0;

  bool operator==(const SteadyState&) const = default;
};

/// Name of the method in reports.
inline constexpr const char* kSteadyStateMethod = "mser-5";

/// Number of batches of a run, each of five observations as in MSER-5.
inline constexpr std::size_t kSteadyStateBatches = 100;

/// A drift below this is accepted as steady.
inline constexpr std::int64_t kWorstDriftPpm = 50'000;
/// A bias below this is accepted.
inline constexpr std::int64_t kWorstBiasPpm = 20'000;

/// Finds the start of the steady part of `batches`, which are sums of a figure over equal parts of
/// a run of `duration`. Also finds whether the measurement window, from batch `first`, is steady.
///
/// MSER-5 (White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics for
/// simulation", 2000) ends the warm-up where the mean of the remaining batches has the smallest
/// standard error, within the first half. The rest of the window then must have no trend (Mann,
/// "Nonparametric tests against trend", 1945, at 1 %) of kWorstDriftPpm or more. A bias counts only
/// if it is significant (Mann and Whitney, 1947, at 0.1 %). Integers only.
///
/// Returns nothing if the run is too short: too few events, or MSER-5 finds no end of the warm-up
/// and there is no trend.
std::optional<SteadyState> find_steady_state(const std::vector<std::int64_t>& batches,
                                             std::size_t first, Picos duration);

}  // namespace overlane::model
