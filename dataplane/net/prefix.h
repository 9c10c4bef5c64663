#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "dataplane/net/address.h"

namespace overlane {

/// An IPv4 network in canonical form: no bit outside the mask is set.
struct Ipv4Prefix {
  Ipv4Address network;
  std::uint8_t length = 0;  ///< 0…32.

  /// The network of the given length that holds `address`.
  static constexpr Ipv4Prefix containing(Ipv4Address address, std::uint8_t length) {
    return {{address.bits & mask(length)}, length};
  }
  static constexpr std::uint32_t mask(std::uint8_t length) {
    return length == 0 ? 0 : ~std::uint32_t{0} << (32 - length);
  }
  /// "a.b.c.d/len"; host bits are refused, with the canonical form in the message.
  static Parsed<Ipv4Prefix> parse(std::string_view text);

  constexpr bool contains(Ipv4Address address) const {
    return (address.bits & mask(length)) == network.bits;
  }
  constexpr bool contains(const Ipv4Prefix& other) const {
    return other.length >= length && contains(other.network);
  }
  constexpr bool overlaps(const Ipv4Prefix& other) const {
    return contains(other) || other.contains(*this);
  }
  constexpr Ipv4Address first() const { return network; }
  constexpr Ipv4Address last() const { return {network.bits | ~mask(length)}; }
  std::string to_string() const;

  /// Ordered by network, then shorter (larger) networks first.
  auto operator<=>(const Ipv4Prefix&) const = default;
};

/// An IPv6 network in canonical form.
struct Ipv6Prefix {
  Ipv6Address network;
  std::uint8_t length = 0;  ///< 0…128.

  static Parsed<Ipv6Prefix> parse(std::string_view text);
  std::string to_string() const;

  auto operator<=>(const Ipv6Prefix&) const = default;
};

/// A network of either family, as manifests hold them.
class IpPrefix {
 public:
  IpPrefix(Ipv4Prefix prefix) : prefix_(prefix) {}  // NOLINT: a prefix of a family is a prefix
  IpPrefix(Ipv6Prefix prefix) : prefix_(prefix) {}  // NOLINT

  /// A canonical CIDR of either family. Refuses host bits as Gardener does ("10.0.0.5/16").
  static Parsed<IpPrefix> parse(std::string_view text);

  const Ipv4Prefix* ipv4() const { return std::get_if<Ipv4Prefix>(&prefix_); }
  const Ipv6Prefix* ipv6() const { return std::get_if<Ipv6Prefix>(&prefix_); }
  std::string to_string() const;

  auto operator<=>(const IpPrefix&) const = default;

 private:
  std::variant<Ipv4Prefix, Ipv6Prefix> prefix_;
};

}  // namespace overlane
