#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "tools/overlane/cli/output.h"

namespace overlane::fastpath {

/// Writes reports in a separate thread, so that forwarding never waits for their reader; a slow
/// reader does not get all reports. Start it before DPDK, which pins the calling thread and all
/// threads started by it to one core.
class ReportWriter {
 public:
  /// Writes to a file, or to standard output if `file` is empty.
  explicit ReportWriter(const std::string& file);

  /// Writes the report after the previous one, unless a newer one replaces it first.
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
