#pragma once

#include <chrono>
#include <cstddef>

#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/mcp/session.h"

// The server's loop: reads lines from standard input, passes them to a Session, runs the calls as
// child processes, and writes answers to standard output. One thread waits for everything with
// poll(2), so that a client can cancel a call or ask for the next one while others run. Requests
// are answered in the order in which they end. At the end of standard input, calls that were
// accepted are finished; if the client closes the other end, they are stopped.
namespace overlane::mcp {

struct ServerLimits {
  std::size_t max_message_bytes = std::size_t{16} << 20;
  std::size_t max_result_bytes = std::size_t{32} << 20;  ///< Text, messages and document of a call.
  std::size_t max_running = 4;                           ///< Other calls wait.
  std::chrono::seconds max_time{600};                    ///< Per call, from its start.
  std::chrono::seconds progress_interval{5};             ///< For calls that ask for progress.
};

/// Serves until the end of standard input. Logs to standard error. Call it from the only thread of
/// the process.
command::ExitCode serve(Session& session, const ServerLimits& limits);

}  // namespace overlane::mcp
