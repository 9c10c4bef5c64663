#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/problem.h"
#include "results/finding/finding.h"

namespace overlane::wire {

inline constexpr std::size_t kIcmpBytes = 8;

/// The message types of RFC 792.
inline constexpr std::uint8_t kIcmpEchoReply = 0;
inline constexpr std::uint8_t kIcmpUnreachable = 3;
inline constexpr std::uint8_t kIcmpSourceQuench = 4;
inline constexpr std::uint8_t kIcmpRedirect = 5;
inline constexpr std::uint8_t kIcmpEcho = 8;
inline constexpr std::uint8_t kIcmpTimeExceeded = 11;
inline constexpr std::uint8_t kIcmpParameterProblem = 12;
inline constexpr std::uint8_t kIcmpTimestamp = 13;
inline constexpr std::uint8_t kIcmpTimestampReply = 14;
inline constexpr std::uint8_t kIcmpInformation = 15;
inline constexpr std::uint8_t kIcmpInformationReply = 16;

inline constexpr std::uint8_t kIcmpFragmentationNeeded = 4;  ///< Code of kIcmpUnreachable.

/// The name of a type of RFC 792, as in its headlines; empty for any other.
std::string_view icmp_name(std::uint8_t type);

/// The fixed part of an ICMP message (RFC 792). The fields behind `code` share its second word;
/// those that the type does not have are 0.
struct IcmpHeader {
  std::uint8_t type = 0;
  std::uint8_t code = 0;
  std::uint16_t next_hop_mtu = 0;  ///< Of "fragmentation needed" (RFC 1191).
  std::uint16_t identifier = 0;    ///< Of echo, timestamp and information.
  std::uint16_t sequence = 0;      ///< Of the same.
  Ipv4Address gateway = {};        ///< Of a redirect.
  std::uint8_t pointer = 0;        ///< Of a parameter problem: the byte that it is about.
  /// Of unreachable, time exceeded and parameter problem: the size of the quotation in words when
  /// an extension follows it, else 0 (RFC 4884).
  std::uint8_t quoted_words = 0;

  /// Whether the message is an error that quotes a packet: never answered with another (RFC 1122,
  /// 3.2.2).
  bool is_error() const;
  auto operator<=>(const IcmpHeader&) const = default;
};

/// The header of a whole message and what is wrong with it: Problem::WrongChecksum, and
/// Problem::ReservedBits where the type has unused ones. Nothing when there are fewer than 8 bytes.
std::optional<Inspected<IcmpHeader>> inspect_icmp(std::span<const std::uint8_t> message);

/// A whole message. Drop::Malformed when it is truncated, Drop::BadChecksum when that is wrong.
Result<IcmpHeader, Drop> parse_icmp(std::span<const std::uint8_t> message);

/// Writes the 8 bytes at the front of `message` with the checksum of all of it: what follows them
/// must already be there.
void write(const IcmpHeader& header, std::span<std::uint8_t> message);

}  // namespace overlane::wire
