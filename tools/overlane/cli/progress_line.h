#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::command {

/// The progress of all runs together: "42 % of 2.400 s, about 17 s left; 5 of 12 runs; 0.11 s/s,
/// 1,234,567 packets/s; routed bulk". Rates are averages since the start. Empty before the start.
std::string progress_text(const runner::Progress::View& view);

/// Forecast of a run: "about 120 million packets in 12 runs, with 1.2 GB of memory; this takes 30 s
/// to 3 min 20 s on 2 threads". Uses the engine's speed on machines of the last ten years.
std::string forecast_text(const runner::Forecast& forecast);

/// Shows a run's progress in one line on standard error, which is updated four times per second and
/// erased at the end. Shows nothing during the first half second, or if not `shown`.
class ProgressLine {
 public:
  ProgressLine(const runner::Progress& progress, bool shown);

 private:
  std::jthread writer_;
};

/// Progress of work in equal steps of unknown speed.
struct StepsView {
  std::string what;  ///< "simulating"
  std::string unit;  ///< "runs"
  std::size_t done = 0;
  std::size_t count = 0;     ///< 0: unknown.
  double seconds = 0;        ///< Seconds since the first step began.
  bool is_estimate = false;  ///< The number of steps is not certain.
};

/// "simulating: 30 % (12 of 40 runs), about 14 s left", or "reading, 3 s so far" if the number of
/// steps is unknown.
std::string steps_text(const StepsView& view);

/// Shows the steps of a verb's work in a line like that of ProgressLine. Thread-safe.
class StepsLine {
 public:
  explicit StepsLine(bool shown);
  StepsLine(const StepsLine&) = delete;
  StepsLine& operator=(const StepsLine&) = delete;
  ~StepsLine();

  /// Begins work. The number of steps is unknown until advance() sets it.
  void begin(std::string what, std::string unit, bool is_estimate = false);
  void advance(std::size_t done, std::size_t count);

 private:
  using Clock = std::chrono::steady_clock;

  StepsView look() const;

  mutable std::mutex mutex_;
  StepsView view_;
  Clock::time_point began_;
  std::jthread writer_;
};

/// A line on standard error that the next line replaces. It is erased at the end. Shows nothing if
/// not `shown`.
class StatusLine {
 public:
  explicit StatusLine(bool shown) : shown_(shown) {}
  ~StatusLine() { erase(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(const std::string& text) const;
  void erase() const { show(""); }

 private:
  bool shown_;
};

/// Whether standard error is a terminal.
bool stderr_is_terminal();

}  // namespace overlane::command
