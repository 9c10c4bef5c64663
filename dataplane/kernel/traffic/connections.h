#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/kernel/traffic/probes.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

/// Use of a TCP connection while the network changes.
enum class ConnectionUse : std::uint8_t {
  Requests,  ///< A request at every interval, as soon as the last one is answered.
  Idle,      ///< Silent; one request at the end shows whether the connection still works.
  Stream,    ///< Bytes from the client at every interval, which the server does not answer.
};

/// "requests", "idle", "stream".
std::string_view to_string(ConnectionUse use);

struct ProbeConnection {
  std::uint32_t client = 0;  ///< Index of an end.
  std::uint32_t server = 0;  ///< Index of an end.
  ConnectionUse use{};
  /// Where the client connects instead of the address of `server`.
  std::optional<ServiceAddress> service = std::nullopt;
};

/// What became of a connection.
struct ConnectionOutcome {
  /// The longest time from a request to its response; for one that was not answered, until the end.
  /// For a stream, the longest time in which nothing arrived at the server, until stop().
  std::chrono::nanoseconds longest_wait{};
  /// Whether the last request was answered. Of a stream: whether all bytes have arrived.
  bool is_answered = false;
  std::string failure;  ///< Error that ended the connection; empty if there was none.
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

  /// Ends the streams and the requests at once, and sends the requests of idle connections.
  void stop();
  /// Stops, waits up to `patience` for open responses and for bytes on their way, and returns the
  /// outcomes in the order of the connections.
  std::vector<ConnectionOutcome> finish(std::chrono::milliseconds patience);

 private:
  struct State;
  explicit Connections(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace overlane::kernel
