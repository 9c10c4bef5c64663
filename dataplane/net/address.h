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
// number, so that tables need one key type.

/// An IPv4 address, held as a number in host byte order: 10.0.0.1 is 0x0a000001.
struct Ipv4Address {
  std::uint32_t bits = 0;

  /// Dotted quad without leading zeros (inet_pton's rule); anything else is refused.
  static Parsed<Ipv4Address> parse(std::string_view text);
  std::string to_string() const;

  auto operator<=>(const Ipv4Address&) const = default;
};

/// An IPv6 address in network byte order.
struct Ipv6Address {
  std::array<std::uint8_t, 16> bytes{};

  /// Any RFC 4291 text form, without a zone.
  static Parsed<Ipv6Address> parse(std::string_view text);
  /// The RFC 5952 form.
  std::string to_string() const;

  auto operator<=>(const Ipv6Address&) const = default;
};

enum class Family : std::uint8_t { Ipv4, Ipv6 };

/// An address of either family, held as one 128-bit number in host byte order: an IPv4 address in
/// its IPv4-mapped form ::ffff:a.b.c.d (RFC 4291 2.5.5.2), which never stands in a packet (Linux
/// drops it, ip6_rcv_core). So both families sort and match in one table and never meet in it.
/// The default is 0.0.0.0.
struct IpAddress {
  std::uint64_t high = 0;
  std::uint64_t low = kMapped;

  constexpr IpAddress() = default;
  constexpr IpAddress(Ipv4Address address)  // NOLINT: an address of a family is an address
      : low(kMapped | address.bits) {}
  IpAddress(const Ipv6Address& address);  // NOLINT

  /// Either text form; the IPv4-mapped one is refused.
  static Parsed<IpAddress> parse(std::string_view text);

  constexpr bool is_ipv4() const { return high == 0 && low >> 32 == kMapped >> 32; }
  constexpr Family family() const { return is_ipv4() ? Family::Ipv4 : Family::Ipv6; }
  /// Only of an IPv4 address.
  constexpr Ipv4Address ipv4() const { return {static_cast<std::uint32_t>(low)}; }
  /// Only of an IPv6 address.
  Ipv6Address ipv6() const;
  /// The dotted quad or the RFC 5952 form.
  std::string to_string() const;

  auto operator<=>(const IpAddress&) const = default;

 private:
  static constexpr std::uint64_t kMapped = 0xffff00000000;
};

/// ::a.b.c.d, the IPv4-compatible form (RFC 4291 2.5.5.1): as a next hop of sit0 it names the far
/// end of the tunnel.
constexpr IpAddress ipv4_compatible(Ipv4Address address) {
  IpAddress result;
  result.low = address.bits;
  return result;
}
/// The IPv4 address in it, if it has that form; :: and ::1 have not.
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
