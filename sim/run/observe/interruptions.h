#pragma once

#include <cstdint>
#include <vector>

#include "results/model/run_report.h"
#include "sim/core/prefetch.h"
#include "sim/run/app/flows.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::run {

/// Finds flows that a run's changes interrupted, as model::Interruptions defines it.
class InterruptionRecorder {
 public:
  /// Keeps references. `changes` is not empty.
  InterruptionRecorder(const std::vector<TrafficGroup>& traffic,
                       const std::vector<TimedChange>& changes, const Flows& flows);

  /// A packet has arrived at this end.
  void arrives(EndId end, Picos now);

  /// Fetches what arrives() will look at. `end` belongs to a flow that the run began with, or
  /// nothing happens.
  [[gnu::always_inline]] void prefetch(EndId end) const {
    if (end < ends_.size()) core::prefetch(&ends_[end]);
  }

  /// Of one group in a run that ends now.
  model::Interruptions of_group(std::size_t group, Picos end) const;

 private:
  /// Of one end of a flow, whatever connections it opens; times in microseconds, for the cache's
  /// sake (a run lasts at most an hour).
  struct Silence {
    std::uint32_t last = 0;  ///< Arrival.
    std::uint32_t longest_before = 0;
    std::uint32_t longest_after = 0;
    std::uint32_t arrivals_before = 0;
  };

  const std::vector<TrafficGroup>& traffic_;
  const Flows& flows_;
  Picos first_change_;
  std::vector<Silence> ends_;          ///< Of the flows that the run began with.
  std::vector<std::uint32_t> groups_;  ///< Of these flows.
};

}  // namespace overlane::run
