#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <optional>
#include <string_view>

#include "dataplane/net/units.h"
#include "results/model/run_report.h"

// This process: its build and its machine, which every result contains, and the signals that
// request a stop.
namespace overlane::command {

/// This build of Overlane and its machine; "unknown" for unavailable values.
model::Environment this_environment();

/// Available memory (MemAvailable of /proc/meminfo), or nothing.
std::optional<Bytes> available_memory();

/// The commit from which this program was built: 40 hexadecimal digits, with the suffix "-dirty" if
/// files were changed. "unknown" if the source is not a git clone.
std::string_view built_commit();

/// During its lifetime, the first SIGINT or SIGTERM requests a stop, and the second ends the
/// program with ExitCode::Interrupted. Only one instance at a time.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  /// Restores the previous signal handlers.
  ~Interrupt();

  /// True after the first signal.
  const std::atomic<bool>& asked() const;

 private:
  std::array<struct sigaction, 2> before_{};
};

}  // namespace overlane::command
