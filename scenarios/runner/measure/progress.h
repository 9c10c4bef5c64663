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
#include "sim/run/inputs/watch.h"

namespace overlane::runner {

/// How far one simulation is.
struct RunState {
  std::size_t round = 0;  ///< Which of the scenario's traffic: those of the same take alike long.
  Picos duration;         ///< That it will simulate, …
  Picos simulated;        ///< … and has.
  double seconds = 0;     ///< Of the wall's clock that it took so far.
  bool done = false;
};

/// Seconds that all runs will still take on `threads` threads: what a simulated second took in the
/// runs of the same round, or in all where none of that round has begun, for the simulated time
/// that is left; never less than the longest single run. Nothing as long as nothing was simulated.
std::optional<double> seconds_left(const std::vector<RunState>& runs, std::uint32_t threads);

/// How far the simulations of a scenario are. One thread begins, those that simulate start and
/// finish, any others look. Changes no result.
class Progress {
 public:
  struct Run {
    std::string variant;
    std::string traffic;  ///< What it sends, by name.
    std::size_t round = 0;
    Picos duration;
  };
  struct View {
    std::size_t runs = 0;
    std::size_t done = 0;
    Picos simulated;  ///< In all runs together, of …
    Picos duration;
    std::int64_t packets = 0;
    double seconds = 0;             ///< Since the beginning.
    std::optional<double> left;     ///< seconds_left().
    std::vector<std::string> busy;  ///< What is being simulated: "routed bulk".
  };

  void begin(std::vector<Run> runs, std::uint32_t threads);
  run::Watch& start(std::size_t run);
  void finish(std::size_t run);

  /// Nothing was begun: `runs` is 0.
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
  std::deque<Entry> entries_;  ///< A Watch does not move.
  Clock::time_point begun_;
  std::uint32_t threads_ = 1;
};

}  // namespace overlane::runner
