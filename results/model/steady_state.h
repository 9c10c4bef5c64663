#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/net/units.h"

namespace overlane::model {

/// Whether a figure had settled while it was measured.
struct SteadyState {
  bool reached = false;
  Picos from;  ///< It is steady since then, of the whole run. Not reached: the window's begin.
  /// Of the batches that are judged, the last third less the first, over the mean of them all; 0
  /// where that is chance.
  std::int64_t drift_ppm = 0;
  /// What the window's beginning in front of `from` makes of the window's mean: that over the
  /// mean of what is steady, less 1. 0 where there is none, or that is chance.
  std::int64_t bias_ppm = 0;

  bool operator==(const SteadyState&) const = default;
};

/// How it is found out.
inline constexpr const char* kSteadyStateMethod = "mser-5";

/// A run is cut into so many batches, each of five observations, as MSER-5 takes them.
inline constexpr std::size_t kSteadyStateBatches = 100;

/// Less drift than this is no reason to doubt a figure.
inline constexpr std::int64_t kWorstDriftPpm = 50'000;
/// Nor is a shorter warm-up that changes it by less than this.
inline constexpr std::int64_t kWorstBiasPpm = 20'000;

/// Where `batches`, the sums of a figure over equal stretches of a run of `duration`, are steady
/// from, and whether they are in the window from `first` on, which is what is measured.
///
/// MSER-5 (White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics for
/// simulation", 2000) puts the end of the warm-up where the mean of what is left has the least
/// standard error, within the first half. What is left in the window then must have no trend (Mann,
/// "Nonparametric tests against trend", 1945, at 1 %) of kWorstDriftPpm or more. What lies in
/// between counts as chance unless its ranks say otherwise (Mann and Whitney, 1947, at 0.1 %).
/// Integers only.
///
/// Nothing where too little happened, or MSER-5 finds no end and there is no trend either: then
/// the run is too short to tell.
std::optional<SteadyState> find_steady_state(const std::vector<std::int64_t>& batches,
                                             std::size_t first, Picos duration);

}  // namespace overlane::model
