#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "scenarios/runner/measure/observation.h"
#include "scenarios/runner/plan/plan.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/run.h"

namespace overlane::runner {

/// The progress of one simulation.
struct RunState {
  std::size_t round = 0;  ///< Index of the round; runs of one round take similar time.
  Picos duration;         ///< Simulated time in total.
  Picos simulated;        ///< Simulated time so far.
  double seconds = 0;     ///< Wall time so far.
  bool done = false;
};

/// Estimated remaining seconds of all runs on `threads` threads: the wall time per simulated second
/// in runs of the same round (or of all runs if none of that round has started), times the
/// remaining simulated time; at least that of the longest single run. Nothing before any time was
/// simulated.
std::optional<double> seconds_left(const std::vector<RunState>& runs, std::uint32_t threads);

/// The progress of a scenario's simulations. One thread creates it, simulating threads update it,
/// any thread reads it. Does not change results.
class Progress {
 public:
  struct Run {
    std::string variant;
    std::string traffic;  ///< Names of its traffic groups.
    std::size_t round = 0;
    Picos duration;
  };
  struct View {
    std::size_t runs = 0;
    std::size_t done = 0;
    Picos simulated;  ///< Simulated time of all runs so far.
    Picos duration;
    std::int64_t packets = 0;
    double seconds = 0;             ///< Since the start.
    std::optional<double> left;     ///< seconds_left().
    std::vector<std::string> busy;  ///< Running simulations: "routed bulk".
  };

  void begin(std::vector<Run> runs, std::uint32_t threads);
  run::Watch& start(std::size_t run);
  void finish(std::size_t run);

  /// `runs` is 0 before the start.
  View look() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    Run run;
    run::Watch watch;
    std::optional<Clock::time_point> started, finished;
  };
  static RunState state_of(const Entry& entry, Clock::time_point now);

  mutable std::mutex mutex_;
  std::deque<Entry> entries_;  ///< A deque, since a Watch cannot be moved.
  Clock::time_point begun_;
  std::uint32_t threads_ = 1;
};

/// The measurement of each run, by index. Errors are internal. Empty for a run that was not
/// started.
using Measurements = std::vector<std::optional<Parsed<run::Measurement>>>;

/// Executes the plan on `threads` threads. Stops early if `steering` requests it. `observation` may
/// be null.
Measurements carry_out(const Plan& plan, std::uint32_t threads, const Steering& steering,
                       const Observation* observation = nullptr);

}  // namespace overlane::runner
