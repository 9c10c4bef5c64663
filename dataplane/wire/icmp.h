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

// The fixed part of ICMP (RFC 792) and ICMPv6 (RFC 4443) messages. The caller parses the packet
// that an error quotes. Neighbour discovery is in address_resolution.h.

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
  std::uint16_t next_hop_mtu = 0;  ///< Used by "fragmentation needed" (RFC 1191).
  std::uint16_t identifier = 0;    ///< Used by echo, timestamp and information.
  std::uint16_t sequence = 0;      ///< Used by echo, timestamp and information.
  Ipv4Address gateway = {};        ///< Used by redirect.
  std::uint8_t pointer = 0;        ///< Used by parameter problem: offset of the wrong byte.
  /// Used by unreachable, time exceeded and parameter problem: the size of the quotation in words
  /// when an extension follows it, else 0 (RFC 4884).
  std::uint8_t quoted_words = 0;

  /// True for an error that quotes a packet. Hosts never answer it with another error (RFC 1122,
  /// 3.2.2).
  bool is_error() const;
  auto operator<=>(const IcmpHeader&) const = default;
};

/// The header of a whole message and its problems: Problem::WrongChecksum, and
/// Problem::ReservedBits where the type has unused ones. nullopt if there are fewer than 8 bytes.
std::optional<Inspected<IcmpHeader>> inspect_icmp(std::span<const std::uint8_t> message);

/// Parses a whole message. Drop::Malformed if the message is truncated, Drop::BadChecksum if its
/// checksum is wrong.
Result<IcmpHeader, Drop> parse_icmp(std::span<const std::uint8_t> message);

/// Writes the header, 8 bytes, to the front of `message` with the checksum of the whole message.
/// The rest of the message must be complete.
void write(const IcmpHeader& header, std::span<std::uint8_t> message);

inline constexpr std::size_t kIcmpv6Bytes = 8;

/// The message types of RFC 4443, and of neighbour discovery (RFC 4861), which address_resolution.h
/// reads further.
inline constexpr std::uint8_t kIcmpv6Unreachable = 1;
inline constexpr std::uint8_t kIcmpv6PacketTooBig = 2;
inline constexpr std::uint8_t kIcmpv6TimeExceeded = 3;
inline constexpr std::uint8_t kIcmpv6ParameterProblem = 4;
inline constexpr std::uint8_t kIcmpv6Echo = 128;
inline constexpr std::uint8_t kIcmpv6EchoReply = 129;
inline constexpr std::uint8_t kRouterSolicitation = 133;
inline constexpr std::uint8_t kRouterAdvertisement = 134;
inline constexpr std::uint8_t kNeighbourSolicitation = 135;
inline constexpr std::uint8_t kNeighbourAdvertisement = 136;
inline constexpr std::uint8_t kIcmpv6Redirect = 137;

/// The name of one of these types, as in the headlines of the RFCs; empty for any other.
std::string_view icmpv6_name(std::uint8_t type);

/// The fixed part of an ICMPv6 message (RFC 4443, section 2.1). The fields behind `code` share its
/// second word; those that the type does not have are 0.
struct Icmpv6Header {
  std::uint8_t type = 0;
  std::uint8_t code = 0;
  std::uint32_t mtu = 0;         ///< Used by "packet too big".
  std::uint32_t pointer = 0;     ///< Used by parameter problem: offset of the wrong byte.
  std::uint16_t identifier = 0;  ///< Used by echo.
  std::uint16_t sequence = 0;    ///< Used by echo.
  /// Used by unreachable and time exceeded: the size of the quotation in units of 8 bytes when an
  /// extension follows it, else 0 (RFC 4884).
  std::uint8_t quoted_units = 0;

  /// True for an error that quotes a packet. Hosts never answer it with another error (RFC 4443,
  /// 2.4 e).
  bool is_error() const { return type < 128; }
  auto operator<=>(const Icmpv6Header&) const = default;
};

/// The header of a whole message between these addresses and its problems: Problem::WrongChecksum,
/// which covers the pseudo header, and Problem::ReservedBits where the type has unused ones.
/// nullopt if there are fewer than 8 bytes.
std::optional<Inspected<Icmpv6Header>> inspect_icmpv6(const IpAddress& source,
                                                      const IpAddress& destination,
                                                      std::span<const std::uint8_t> message);

/// Parses a whole message. Drop::Malformed if the message is truncated, Drop::BadChecksum if its
/// checksum is wrong.
Result<Icmpv6Header, Drop> parse_icmpv6(const IpAddress& source, const IpAddress& destination,
                                        std::span<const std::uint8_t> message);

/// Writes the header, 8 bytes, to the front of `message` with the checksum of the whole message.
/// The rest of the message must be complete.
void write(const Icmpv6Header& header, const IpAddress& source, const IpAddress& destination,
           std::span<std::uint8_t> message);

}  // namespace overlane::wire
