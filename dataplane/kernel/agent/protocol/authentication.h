#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "results/finding/finding.h"

namespace overlane::agent {

/// A nonce, or a proof: SHA-256's length.
using Bytes32 = std::array<std::uint8_t, 32>;

/// Of the system's random numbers for cryptography; fails where there are none.
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

}  // namespace overlane::agent
