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

// The connection between agent and client: lines of text over TCP, with deadlines, and a mutual
// proof of the shared token by HMAC-SHA256 (RFC 2104).

/// A nonce, or a proof: SHA-256's length.
using Bytes32 = std::array<std::uint8_t, 32>;

/// Draws a nonce from the system's cryptographic random numbers. Fails where there are none.
Parsed<Bytes32> make_nonce();

/// 64 lower-case digits.
std::string hex(const Bytes32& bytes);
/// Reads exactly what hex() writes.
Parsed<Bytes32> from_hex(std::string_view text);

/// Who proves that it knows the token. Each has a proof of its own, so that neither can be sent
/// back to its author.
enum class Role : std::uint8_t { Client, Agent };

/// What both sides drew for one connection.
struct Challenge {
  Bytes32 agent_nonce{};
  Bytes32 client_nonce{};
};

/// The secret that agents and their clients share. It is never sent: each side proves that it knows
/// it by HMAC-SHA256 (RFC 2104) over its role and both nonces.
class Token {
 public:
  static constexpr std::size_t kMinBytes = 16;
  static constexpr std::size_t kMaxBytes = 4096;

  /// Refuses secrets that are too short or too long.
  static Parsed<Token> of(std::string secret);
  /// The content of a file without the white space at its end. Refuses a file that every user of
  /// the machine may read.
  static Parsed<Token> read(const std::filesystem::path& file);

  Bytes32 proof(Role role, const Challenge& challenge) const;
  /// Compares in a time that does not depend on the proof.
  bool accepts(const Bytes32& proof, Role role, const Challenge& challenge) const;

 private:
  explicit Token(std::string secret) : secret_(std::move(secret)) {}

  std::string secret_;
};

/// Whether a wait is to end, asked many times a second.
using IsOver = std::function<bool()>;

/// Lines of text over one TCP connection. Timeouts use the monotonic clock, so that a change of the
/// system time has no effect.
class Channel {
 public:
  /// Takes a connected socket.
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
/// The port of a socket, also one that the kernel chose.
Parsed<std::uint16_t> port_of(const kernel::OwnedFd& socket);
Parsed<Channel> connect_to(const Endpoint& endpoint, std::chrono::milliseconds patience,
                           const IsOver& is_over);

}  // namespace overlane::agent
