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

// Execution of a plan. carry_out() runs the simulations on several threads. Progress collects how
// far they are, for a display on another thread, and seconds_left() estimates the remaining time.

/// The progress of one simulation.
struct RunState {
  std::size_t round = 0;  ///< Index of the round. Runs of one round take similar time.
  Picos duration;         ///< Simulated time in total.
  Picos simulated;        ///< Simulated time so far.
  double seconds = 0;     ///< Wall time so far.
  bool done = false;
};

/// Estimates the remaining wall time in seconds of all runs on `threads` threads. The remaining
/// time of a run is its remaining simulated time times the wall time per simulated second in runs
/// of the same round (of all runs, if no run of that round has started). The result is at least the
/// remaining time of the longest single run. Nothing if no time has been simulated yet.
std::optional<double> seconds_left(const std::vector<RunState>& runs, std::uint32_t threads);

/// The progress of a scenario's simulations. One thread creates the object, the simulating threads
/// update it, and any thread may read it (a mutex protects it). It does not change results.
class Progress {
 public:
  struct Run {
    std::string variant;
    std::string traffic;  ///< Names of the traffic groups of the run.
    std::size_t round = 0;
    Picos duration;
  };
  struct View {
    std::size_t runs = 0;
    std::size_t done = 0;
    Picos simulated;  ///< Simulated time of all runs so far.
    Picos duration;
    std::int64_t packets = 0;
    double seconds = 0;             ///< Wall time since the start.
    std::optional<double> left;     ///< seconds_left().
    std::vector<std::string> busy;  ///< Names of the running simulations: "routed bulk".
  };

  void begin(std::vector<Run> runs, std::uint32_t threads);
  run::Watch& start(std::size_t run);
  void finish(std::size_t run);

  /// Returns the current progress. View::runs is 0 before begin().
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
  std::deque<Entry> entries_;  ///< A deque, because a Watch cannot be moved.
  Clock::time_point begun_;
  std::uint32_t threads_ = 1;
};

/// The measurement of each run, by index in Plan::runs. Errors are internal errors. An entry is
/// empty if its run was not started.
using Measurements = std::vector<std::optional<Parsed<run::Measurement>>>;

/// Executes the plan on `threads` threads. Stops early if `steering` requests it. `observation` may
/// be null.
Measurements carry_out(const Plan& plan, std::uint32_t threads, const Steering& steering,
                       const Observation* observation = nullptr);

}  // namespace overlane::runner
