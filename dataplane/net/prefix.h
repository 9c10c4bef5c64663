#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dataplane/net/address.h"

namespace overlane {

// Networks in CIDR notation as values in canonical form: no bit outside the mask is set. IpPrefix
// holds both families and is the key of route tables; the two others serve code of one family.

/// An IPv4 network in canonical form: no bit outside the mask is set.
struct Ipv4Prefix {
  Ipv4Address network;
  std::uint8_t length = 0;  ///< 0…32.

  /// The network of the given length that contains `address`.
  static constexpr Ipv4Prefix containing(Ipv4Address address, std::uint8_t length) {
    return {{address.bits & mask(length)}, length};
  }
  static constexpr std::uint32_t mask(std::uint8_t length) {
    return length == 0 ? 0 : ~std::uint32_t{0} << (32 - length);
  }
  /// Parses "a.b.c.d/len". Refuses host bits, with the canonical form in the message.
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

/// A network of either family in canonical form.
class IpPrefix {
 public:
  /// 0.0.0.0/0.
  constexpr IpPrefix() = default;
  constexpr IpPrefix(Ipv4Prefix prefix)  // NOLINT: a prefix of a family is a prefix
      : network_(prefix.network), bits_(static_cast<std::uint8_t>(kMappedBits + prefix.length)) {}
  IpPrefix(const Ipv6Prefix& prefix)  // NOLINT
      : network_(prefix.network), bits_(prefix.length) {}

  /// The network that contains `address`, of a length in bits of its family (0…32 or 0…128).
  static constexpr IpPrefix containing(IpAddress address, std::uint8_t length) {
    return {address, static_cast<std::uint8_t>(length + (address.is_ipv4() ? kMappedBits : 0))};
  }
  /// The network that contains `address`, of a length in the 128 bits of IpAddress, as bits()
  /// returns it.
  static constexpr IpPrefix first_bits(IpAddress address, std::uint8_t bits) {
    return {address, bits};
  }
  /// The /32 or /128 of `address`.
  static constexpr IpPrefix host(IpAddress address) { return {address, kAllBits}; }
  /// Parses a CIDR of either family. Refuses host bits, as Gardener does ("10.0.0.5/16").
  static Parsed<IpPrefix> parse(std::string_view text);

  constexpr IpAddress network() const { return network_; }
  /// The prefix length in bits of the family: 0…32 or 0…128.
  constexpr std::uint8_t length() const {
    return static_cast<std::uint8_t>(bits_ - (is_ipv4() ? kMappedBits : 0));
  }
  /// The prefix length in the 128 bits of IpAddress (96 more than length() for IPv4).
  constexpr std::uint8_t bits() const { return bits_; }
  constexpr bool is_ipv4() const { return bits_ >= kMappedBits && network_.is_ipv4(); }
  constexpr bool is_host() const { return bits_ == kAllBits; }
  std::optional<Ipv4Prefix> ipv4() const;
  std::optional<Ipv6Prefix> ipv6() const;

  /// Whether `address` is in this network. A network contains no address of the other family, not
  /// even ::/0.
  constexpr bool contains(IpAddress address) const {
    return address.is_ipv4() == is_ipv4() && masked(address, bits_) == network_;
  }
  constexpr bool contains(const IpPrefix& other) const {
    return other.bits_ >= bits_ && contains(other.network_);
  }
  constexpr bool overlaps(const IpPrefix& other) const {
    return contains(other) || other.contains(*this);
  }
  std::string to_string() const;

  /// Ordered by network, then shorter (larger) networks first.
  auto operator<=>(const IpPrefix&) const = default;

 private:
  static constexpr std::uint8_t kMappedBits = 96;
  static constexpr std::uint8_t kAllBits = 128;

  constexpr IpPrefix(IpAddress address, std::uint8_t bits)
      : network_(masked(address, bits)), bits_(bits) {}
  static constexpr std::uint64_t mask(int bits) {
    return bits <= 0 ? 0 : bits >= 64 ? ~0ull : ~0ull << (64 - bits);
  }
  static constexpr IpAddress masked(IpAddress address, std::uint8_t bits) {
    address.high &= mask(bits);
    address.low &= mask(bits - 64);
    return address;
  }

  IpAddress network_;
  std::uint8_t bits_ = kMappedBits;  ///< Counted in the 128 bits of IpAddress.
};

/// Whether an address may be routed on the Internet: in IPv4, no private, shared, loopback,
/// link-local, multicast or reserved range; in IPv6, 2000::/3 and the NAT64 prefix 64:ff9b::/96.
/// Sources: IANA IPv4 and IPv6 special-purpose address registries; documentation ranges count as
/// global.
bool is_global(IpAddress address);

}  // namespace overlane
