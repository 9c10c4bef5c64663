#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "results/finding/result.h"

namespace overlane {

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

/// A 48-bit Ethernet address.
struct MacAddress {
  std::array<std::uint8_t, 6> bytes{};

  std::string to_string() const;

  auto operator<=>(const MacAddress&) const = default;
};

}  // namespace overlane
