#pragma once

#include <array>
#include <atomic>
#include <csignal>

namespace overlane::command {

/// While it lives, the first SIGINT or SIGTERM asks the program to come to an end, and the second
/// ends it at once, with ExitCode::Interrupted. Only one at a time.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  /// What was done about the signals before is done again.
  ~Interrupt();

  /// Becomes true, and stays so.
  const std::atomic<bool>& asked() const;

 private:
  std::array<struct sigaction, 2> before_{};
};

}  // namespace overlane::command
