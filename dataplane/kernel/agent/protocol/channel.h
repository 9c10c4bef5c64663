#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/net/address.h"
#include "results/finding/finding.h"

namespace overlane::agent {

// The connection between agent and client: lines of text over TCP, with deadlines. Both sides prove
// that they know the shared token by HMAC-SHA256 (RFC 2104), without sending it.

/// A nonce or a proof: 32 bytes, the length of SHA-256.
using Bytes32 = std::array<std::uint8_t, 32>;

/// Generates a nonce with the system's cryptographic random number generator. Fails if there is
/// none.
Parsed<Bytes32> make_nonce();

/// The bytes as 64 lower-case hexadecimal digits.
std::string hex(const Bytes32& bytes);
/// Parses the output of hex(), and nothing else.
Parsed<Bytes32> from_hex(std::string_view text);

/// The side that proves its knowledge of the token. The two sides have different proofs, so that a
/// proof cannot be sent back to its author.
enum class Role : std::uint8_t { Client, Agent };

/// The nonces of both sides for one connection.
struct Challenge {
  Bytes32 agent_nonce{};
  Bytes32 client_nonce{};
};

/// The secret that agents and their clients share. It is never sent: each side proves that it knows
/// the token by HMAC-SHA256 (RFC 2104) over its role and both nonces.
class Token {
 public:
  static constexpr std::size_t kMinBytes = 16;
  static constexpr std::size_t kMaxBytes = 4096;

  /// Rejects secrets shorter than kMinBytes or longer than kMaxBytes.
  static Parsed<Token> of(std::string secret);
  /// Reads a file without the white space at its end. Rejects a file that all users of the machine
  /// may read.
  static Parsed<Token> read(const std::filesystem::path& file);

  Bytes32 proof(Role role, const Challenge& challenge) const;
  /// Whether a proof is right. The comparison takes constant time.
  bool accepts(const Bytes32& proof, Role role, const Challenge& challenge) const;

 private:
  explicit Token(std::string secret) : secret_(std::move(secret)) {}

  std::string secret_;
};

/// Returns whether a wait must end. Called many times per second.
using IsOver = std::function<bool()>;

/// Lines of text over one TCP connection. Timeouts use the monotonic clock, so that a change of the
/// system time has no effect.
class Channel {
 public:
  /// Takes ownership of a connected socket.
  explicit Channel(kernel::OwnedFd socket);

  /// Sends a line within `patience`.
  Result<void, std::string> write(std::string_view line, std::chrono::milliseconds patience,
                                  const IsOver& is_over);
  /// Returns the next line. Fails if it is longer than `most` bytes or not complete within
  /// `patience`.
  Parsed<std::string> read(std::size_t most, std::chrono::milliseconds patience,
                           const IsOver& is_over);

  /// Whether the peer has closed the connection, or the connection failed.
  bool is_closed() const;
  /// IP address of this end.
  Parsed<IpAddress> own_address() const;
  /// Address of the other end: "192.0.2.1 port 40000".
  const std::string& peer() const { return peer_; }

 private:
  kernel::OwnedFd socket_;
  std::string peer_;
  std::string received_;  ///< Received bytes after the last line.
};

/// A host and a port: "192.0.2.1:7411", "[2001:db8::1]:7411", "node-1:7411".
struct Endpoint {
  std::string host;
  std::uint16_t port = 0;

  static Parsed<Endpoint> parse(std::string_view text);
  std::string to_string() const;
  bool operator==(const Endpoint&) const = default;
};

/// Listens at an address of this host. If a name has several addresses, uses the first.
Parsed<kernel::OwnedFd> listen_at(const Endpoint& endpoint);
/// The port of a socket, which the kernel may have chosen.
Parsed<std::uint16_t> port_of(const kernel::OwnedFd& socket);
Parsed<Channel> connect_to(const Endpoint& endpoint, std::chrono::milliseconds patience,
                           const IsOver& is_over);

}  // namespace overlane::agent
