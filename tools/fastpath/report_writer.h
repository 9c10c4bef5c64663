#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "tools/overlane/cli/output.h"

namespace overlane::fastpath {

/// Writes reports on a thread of its own, so that forwarding never waits for who reads them: a
/// reader who is too slow misses some. Start it before DPDK, which keeps the thread that starts it
/// on one core, and all that this one starts.
class ReportWriter {
 public:
  /// To a file, or to standard output when that is empty.
  explicit ReportWriter(const std::string& file);

  /// Writes the report when the last one is written, unless a newer one has come by then.
  void offer(std::string report);
  /// Waits until all is written, and `last` behind it. No offer() after it.
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
