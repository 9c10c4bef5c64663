#pragma once

#include <csignal>
#include <optional>

#include "results/finding/result.h"

namespace overlane::fastpath {

/// The signals that a running forwarder obeys, taken from a descriptor (signalfd(2)): from now on
/// they do nothing else, in this thread and those it starts.
class Signals {
 public:
  static Parsed<Signals> take();

  Signals(Signals&& other) noexcept;
  Signals& operator=(Signals&&) = delete;
  ~Signals();

  enum class Asked { Stop, Reload, Report };
  /// What was asked and has not been told yet: SIGINT and SIGTERM, SIGHUP, SIGUSR1.
  std::optional<Asked> next() const;
  /// From now on those that stop do it at once.
  void give_back() const;

 private:
  explicit Signals(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace overlane::fastpath
