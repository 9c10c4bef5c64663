#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::suite {

/// A program to run with a time limit.
struct Command {
  std::vector<std::string> words;  ///< The program's file and its arguments.
  std::string folder;              ///< Working folder; empty: the current one.
  std::chrono::milliseconds timeout{};
};

enum class ProgramEnd : std::uint8_t {
  Exited,
  Signalled,  ///< Crashed, or killed by another program.
  TimedOut,
  Stopped,  ///< Stopped because the caller set `stop`.
};

/// Result and resource usage of a program, including child processes that it waited for.
struct ProgramRun {
  ProgramEnd end = ProgramEnd::Exited;
  int code = 0;        ///< Exit code, or number of the signal.
  std::string output;  ///< Standard output.
  std::string errors;  ///< Standard error.
  double wall_seconds = 0;
  double user_seconds = 0;
  double system_seconds = 0;
  std::int64_t peak_rss_bytes = 0;

  /// Description of an abnormal end with the last line of standard error: "exit code 3: …", "killed
  /// by signal 11 (Segmentation fault)", "not over after 600 s".
  std::string problem() const;
};

/// Runs a program without input, with a fixed environment (PATH, HOME, LANG=C, TZ=UTC), in its own
/// process group. The whole group has ended when the function returns. The group is killed at the
/// time limit, when `stop` becomes true, and when this process ends. Fails if the program cannot be
/// started.
Parsed<ProgramRun> run_program(const Command& command, const std::atomic<bool>& stop);

}  // namespace overlane::suite
