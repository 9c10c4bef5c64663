#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/kernel/traffic/probes.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

/// Use of a TCP connection while the network changes.
enum class ConnectionUse : std::uint8_t {
  Requests,  ///< A request at every interval, as soon as the last one is answered.
  Idle,      ///< Silent; one request at the end shows whether the connection still works.
};

struct ProbeConnection {
  std::uint32_t client = 0;  ///< Index of an end.
  std::uint32_t server = 0;  ///< Index of an end.
  ConnectionUse use{};
};

/// What became of a connection.
struct ConnectionOutcome {
  /// The longest time from a request to its response; for one that was not answered, until the end.
  std::chrono::nanoseconds longest_wait{};
  bool is_answered = false;  ///< Whether the last request was answered.
  std::string failure;       ///< Error that ended the connection; empty if there was none.
};

/// TCP connections between ends, in one thread. The destructor ends them.
class Connections {
 public:
  /// Connects all of them. A connection that cannot be made within 3 s has a failure.
  static Parsed<Connections> start(const std::vector<ProbeEnd>& ends,
                                   std::vector<ProbeConnection> connections,
                                   std::chrono::milliseconds interval);
  Connections(Connections&&) noexcept;
  ~Connections();

  /// Sends the requests of idle connections, waits up to `patience` for open responses, and returns
  /// the outcomes in the order of the connections.
  std::vector<ConnectionOutcome> finish(std::chrono::milliseconds patience);

 private:
  struct State;
  explicit Connections(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace overlane::kernel
