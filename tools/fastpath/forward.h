#pragma once

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "dataplane/dpdk/io/eal.h"
#include "results/finding/finding.h"
#include "tools/fastpath/command_line.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"

namespace overlane::fastpath {

// `overlane-fastpath forward`: the node between real ports. The main thread runs the
// dpdk::Forwarder on its core, and checks signals and ports at intervals. SIGHUP reads the input
// again while forwarding continues, SIGUSR1 requests a report, SIGINT and SIGTERM stop the program.
// A second thread writes reports.

/// The signals of a running forwarder, read from a descriptor (signalfd(2)). Their default actions
/// are blocked in the calling thread and in threads that it starts.
class Signals {
 public:
  static Parsed<Signals> take();

  Signals(Signals&& other) noexcept;
  Signals& operator=(Signals&&) = delete;
  ~Signals();

  enum class Request { Stop, Reload, Report };
  /// Returns the next pending request: Stop for SIGINT and SIGTERM, Reload for SIGHUP, Report for
  /// SIGUSR1.
  std::optional<Request> next() const;
  /// Restores the default action of the terminating signals.
  void give_back() const;

 private:
  explicit Signals(int fd) : fd_(fd) {}

  int fd_;
};

/// Writes reports in a separate thread, so that forwarding never waits for their reader. A slow
/// reader does not get all reports. Create it before DPDK starts, because DPDK pins the calling
/// thread and all threads that it starts later to one core.
class ReportWriter {
 public:
  /// Writes to a file, or to standard output if `file` is empty.
  explicit ReportWriter(const std::string& file);

  /// Writes the report after the previous one, unless a newer report replaces it first.
  void offer(std::string report);
  /// Writes `last` after all pending reports and waits for that. Do not call offer() after it.
  command::ExitCode finish(const std::string& last);

 private:
  void run(const std::stop_token& stop);

  command::ResultStream stream_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<std::string> waiting_;
  std::jthread thread_;
};

struct ForwardOptions {
  SubjectOptions subject;
  command::OutputOptions output;
  std::string pods;  ///< Devices, as in EalOptions::devices.
  std::string uplink;
  std::string host;  ///< May be empty.
  std::uint16_t burst = 32;
  std::uint32_t buffers = 16'383;
  Picos report_every;                       ///< 0: only at the end and on request.
  Picos run_for;                            ///< 0: until stopped.
  Picos idle;                               ///< Sleep after a poll without packets.
  dpdk::EalOptions eal{.memory_mib = 512};  ///< Includes the cores; the first one is the main core.
};

/// Forwards according to `state` until a signal, the end of the time limit, or the loss of a port.
command::ExitCode run_forwarding(const ForwardOptions& options,
                                 std::shared_ptr<const node::NodeState> state,
                                 const Signals& signals);

}  // namespace overlane::fastpath
