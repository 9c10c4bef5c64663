#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "tools/overlane/cli/output.h"

namespace overlane::fastpath {

/// Writes reports in a separate thread, so that forwarding never waits for their reader: a slow
/// reader misses some. Start it before DPDK, which pins the calling thread, and all threads that it
/// starts, to one core.
class ReportWriter {
 public:
  /// To a file, or to standard output if empty.
  explicit ReportWriter(const std::string& file);

  /// Writes the report after the previous one, unless a newer one replaces it.
  void offer(std::string report);
  /// Writes `last` after all pending reports and waits. No offer() after it.
  command::ExitCode finish(const std::string& last);

 private:
  void run(const std::stop_token& stop);

  command::ResultStream stream_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<std::string> waiting_;
  std::jthread thread_;
};

}  // namespace overlane::fastpath
