#pragma once

#include <functional>
#include <vector>

#include "sim/transport/tcp_connection.h"

namespace overlane::transport {

/// Two ends of a connection, joined by a path of unlimited rate with configurable delay, loss and
/// reordering.
class TcpPair {
 public:
  struct Sent {
    Picos at;
    bool from_client = false;
    Segment segment;
  };
  /// Whether segment `number` (from 0) of this end is lost.
  using Loss = std::function<bool(const Sent& sent, int number)>;
  /// Additional delay of a segment.
  using Lateness = std::function<Picos(const Sent& sent, int number)>;

  TcpPair(const TcpConnection::Config& client_config, const TcpConnection::Config& server_config,
          Picos delay)
      : client(client_config), server(server_config), delay_(delay) {}

  TcpConnection client;
  TcpConnection server;
  Loss lose = [](const Sent&, int) { return false; };
  Lateness late = [](const Sent&, int) { return Picos{}; };
  bool server_reads = true;
  std::vector<Sent> log;           ///< All segments sent, including lost ones.
  std::vector<Picos> round_trips;  ///< Measured by the client.

  Picos now() const { return now_; }
  void run_until(Picos end);
  void run_for(Picos duration) { run_until(now_ + duration); }

  /// Times of all transmissions by the client of the segment that begins at `sequence`.
  std::vector<Picos> transmissions(std::int64_t sequence) const;

 private:
  struct Travelling {
    Picos arrives;
    Sent sent;
  };

  void flush(TcpConnection& from);
  void deliver(const Sent& sent);

  Picos delay_;
  Picos now_;
  std::vector<Travelling> travelling_;  ///< In order of arrival.
  int client_count_ = 0;
  int server_count_ = 0;
};

}  // namespace overlane::transport
