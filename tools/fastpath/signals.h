#pragma once

#include <csignal>
#include <optional>

#include "results/finding/finding.h"

namespace overlane::fastpath {

/// The signals of a running forwarder, read from a descriptor (signalfd(2)). Their default actions
/// are blocked in this thread and in those that it starts.
class Signals {
 public:
  static Parsed<Signals> take();

  Signals(Signals&& other) noexcept;
  Signals& operator=(Signals&&) = delete;
  ~Signals();

  enum class Asked { Stop, Reload, Report };
  /// The next pending request: SIGINT and SIGTERM, SIGHUP, SIGUSR1.
  std::optional<Asked> next() const;
  /// Restores the default action of the terminating signals.
  void give_back() const;

 private:
  explicit Signals(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace overlane::fastpath
