#pragma once

#include <array>
#include <atomic>
#include <csignal>

namespace overlane::command {

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
