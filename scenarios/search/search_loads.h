#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/runner/load/prepare.h"
#include "scenarios/search/load_report.h"

namespace overlane::load_search {

/// What `overlane search` is asked for. A trial is one simulated run of one traffic group alone
/// with one seed: its clients send datagrams at even intervals for the trial's duration, and
/// nothing else is sent. Lost is what was dropped, what its sender could not send in time, and what
/// is later than without load by more than the goals' width of the trial.
struct LoadRequest {
  std::string traffic;  ///< Name of a paced udp group; empty: the only one.
  /// Each trial at a load has another seed. They are few and short: a simulation repeats itself.
  search::GoalSet goals{.trial = milliseconds(50), .trials = 7};
  /// Packets per second of all flows together. By default from ten datagrams per flow and trial to
  /// what the senders' or the receivers' NICs carry of payload alone, which no path can.
  std::optional<std::int64_t> min, max;
  /// Is called before each trial with the variant and the load; never by two threads at once.
  std::function<void(const std::string& variant, std::int64_t load)> on_trial = {};
};

/// Searches the loads of every variant. Variants run in parallel on `request.threads`; the result
/// does not depend on it. An interrupted search has variants that are not run.
runner::Outcome<LoadReport> search_loads(const runner::Prepared& prepared,
                                         const runner::Request& request, const LoadRequest& asked);

}  // namespace overlane::load_search
