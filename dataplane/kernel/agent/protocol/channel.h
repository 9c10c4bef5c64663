#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "dataplane/kernel/namespaces/owned_fd.h"
#include "dataplane/net/address.h"
#include "results/finding/finding.h"

namespace overlane::agent {

/// Whether a wait is to end, asked many times a second.
using IsOver = std::function<bool()>;

/// Lines of text over one TCP connection. Timeouts use the monotonic clock, so that a change of the
/// system time has no effect.
class Channel {
 public:
  /// Of a connected socket.
  explicit Channel(kernel::OwnedFd socket);

  /// Sends a line within `patience`.
  Result<void, std::string> write(std::string_view line, std::chrono::milliseconds patience,
                                  const IsOver& is_over);
  /// The next line, which has at most `most` bytes and is complete within `patience`.
  Parsed<std::string> read(std::size_t most, std::chrono::milliseconds patience,
                           const IsOver& is_over);

  /// Whether the peer has closed the connection, or the connection failed.
  bool is_closed() const;
  /// This end's address.
  Parsed<IpAddress> own_address() const;
  /// "192.0.2.1 port 40000".
  const std::string& peer() const { return peer_; }

 private:
  kernel::OwnedFd socket_;
  std::string peer_;
  std::string received_;  ///< Behind the last line.
};

/// A host and a port, as people write them: "192.0.2.1:7411", "[2001:db8::1]:7411", "node-1:7411".
struct Endpoint {
  std::string host;
  std::uint16_t port = 0;

  static Parsed<Endpoint> parse(std::string_view text);
  std::string to_string() const;
  bool operator==(const Endpoint&) const = default;
};

/// Listens at an address of this host: of a name that has several, the first.
Parsed<kernel::OwnedFd> listen_at(const Endpoint& endpoint);
/// Of the sockets that the kernel chose a port for, too.
Parsed<std::uint16_t> port_of(const kernel::OwnedFd& socket);
Parsed<Channel> connect_to(const Endpoint& endpoint, std::chrono::milliseconds patience,
                           const IsOver& is_over);

}  // namespace overlane::agent
