#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::suite {

/// A program to run.
struct Command {
  std::vector<std::string> words;  ///< The program's file and its arguments.
  std::string folder;              ///< Where it runs; empty: here.
  std::chrono::milliseconds timeout{};
};

enum class ProgramEnd : std::uint8_t {
  Exited,
  Signalled,  ///< It crashed, or was killed by another program.
  TimedOut,
  Stopped,  ///< On request.
};

/// How a program ran, with the processes that it waited for.
struct ProgramRun {
  ProgramEnd end = ProgramEnd::Exited;
  int code = 0;        ///< Exit code, or number of the signal.
  std::string output;  ///< Standard output.
  std::string errors;  ///< Standard error.
  double wall_seconds = 0;
  double user_seconds = 0;
  double system_seconds = 0;
  std::int64_t peak_rss_bytes = 0;

  /// "exit code 3: …", "killed by signal 11 (Segmentation fault)", "not over after 600 s", with the
  /// last line of its errors.
  std::string problem() const;
};

/// Runs a program with nothing to read and a fixed environment (PATH, HOME, LANG=C, TZ=UTC), in a
/// process group of its own, of which nothing is left when the function returns. It is killed when
/// its time is over, when `stop` becomes true, and when this process ends. The error says why the
/// program could not be started.
Parsed<ProgramRun> run_program(const Command& command, const std::atomic<bool>& stop);

}  // namespace overlane::suite
