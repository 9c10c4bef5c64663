#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "results/finding/finding.h"

namespace overlane {

// IPv4, IPv6 and MAC addresses as values. IpAddress holds both families in one ordered 128-bit
// number, so that tables need one key type. Parsers return an error message for invalid text.

/// An IPv4 address, held as a number in host byte order: 10.0.0.1 is 0x0a000001.
struct Ipv4Address {
  std::uint32_t bits = 0;

  /// Parses a dotted quad. Refuses leading zeros, as inet_pton does, and every other form.
  static Parsed<Ipv4Address> parse(std::string_view text);
  std::string to_string() const;

  auto operator<=>(const Ipv4Address&) const = default;
};

/// An IPv6 address in network byte order.
struct Ipv6Address {
  std::array<std::uint8_t, 16> bytes{};

  /// Parses any text form of RFC 4291, section 2.2. Refuses a zone.
  static Parsed<Ipv6Address> parse(std::string_view text);
  /// The RFC 5952 form.
  std::string to_string() const;

  auto operator<=>(const Ipv6Address&) const = default;
};

enum class Family : std::uint8_t { Ipv4, Ipv6 };

/// An address of either family as one 128-bit number in host byte order. An IPv4 address has its
/// IPv4-mapped form ::ffff:a.b.c.d (RFC 4291 2.5.5.2). Parsers and packet decoders refuse that form
/// as an IPv6 address, so both families share one table and cannot be confused. The default is
/// 0.0.0.0.
struct IpAddress {
  std::uint64_t high = 0;
  std::uint64_t low = kMapped;

  constexpr IpAddress() = default;
  constexpr IpAddress(Ipv4Address address)  // NOLINT: an address of a family is an address
      : low(kMapped | address.bits) {}
  IpAddress(const Ipv6Address& address);  // NOLINT

  /// Parses an address of either family. Refuses the IPv4-mapped form.
  static Parsed<IpAddress> parse(std::string_view text);

  constexpr bool is_ipv4() const { return high == 0 && low >> 32 == kMapped >> 32; }
  constexpr Family family() const { return is_ipv4() ? Family::Ipv4 : Family::Ipv6; }
  /// Requires an IPv4 address.
  constexpr Ipv4Address ipv4() const { return {static_cast<std::uint32_t>(low)}; }
  /// Requires an IPv6 address.
  Ipv6Address ipv6() const;
  /// The dotted quad or the RFC 5952 form.
  std::string to_string() const;

  auto operator<=>(const IpAddress&) const = default;

 private:
  static constexpr std::uint64_t kMapped = 0xffff00000000;
};

/// The IPv4-compatible IPv6 address ::a.b.c.d (RFC 4291 2.5.5.1). As the next hop of a route on
/// sit0, it is the far end of the tunnel.
constexpr IpAddress ipv4_compatible(Ipv4Address address) {
  IpAddress result;
  result.low = address.bits;
  return result;
}
/// The IPv4 address in an IPv4-compatible one; empty for all other addresses, including :: and ::1.
constexpr std::optional<Ipv4Address> ipv4_in_compatible(IpAddress address) {
  if (address.high != 0 || address.low >> 32 != 0 || address.low <= 1) return std::nullopt;
  return Ipv4Address{static_cast<std::uint32_t>(address.low)};
}

/// The n-th address after `from`, of the same family.
constexpr IpAddress operator+(IpAddress from, std::uint64_t n) {
  from.low += n;
  if (from.low < n) ++from.high;
  return from;
}

/// A 48-bit Ethernet address.
struct MacAddress {
  std::array<std::uint8_t, 6> bytes{};

  std::string to_string() const;

  auto operator<=>(const MacAddress&) const = default;
};

}  // namespace overlane
