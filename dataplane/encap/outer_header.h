#pragma once

#include <array>
#include <cstdint>

#include "dataplane/encap/inner_packet.h"
#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"

namespace overlane::encap {

inline constexpr std::uint32_t kOuterIpv4Bytes = 20;
inline constexpr std::uint32_t kOuterIpv6Bytes = 40;

/// The largest IP packet: 65,535 bytes in IPv4, 40 more in IPv6.
inline constexpr std::uint32_t kLargestPacket = 0xffff;

/// One's-complement sums add in any width; this brings one to 16 bits.
constexpr std::uint16_t fold(std::uint32_t sum) {
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum + (sum >> 16));
}

/// The outer IP header of one tunnel, of either family: what no packet changes is made once, and
/// its part of the checksum summed once.
class OuterHeader {
 public:
  /// What changes from packet to packet besides the inner packet.
  struct PerPacket {
    std::uint8_t protocol = 0;
    std::uint32_t payload = 0;         ///< Bytes behind the header.
    std::uint16_t identification = 0;  ///< IPv4.
    std::uint32_t flow_label = 0;      ///< IPv6.
  };

  /// Both addresses are of one family.
  OuterHeader(const OuterRules& rules, const IpAddress& source, const IpAddress& destination);

  const OuterRules& rules() const { return rules_; }
  Family family() const { return family_; }
  std::uint32_t size() const { return family_ == Family::Ipv4 ? kOuterIpv4Bytes : kOuterIpv6Bytes; }
  /// Whether a packet with that many bytes behind this header can exist.
  bool fits(std::uint32_t payload) const {
    return payload + (family_ == Family::Ipv4 ? kOuterIpv4Bytes : 0) <= kLargestPacket;
  }
  /// The addresses' part of a pseudo header.
  std::uint32_t address_sum() const { return address_sum_; }

  /// Writes size() bytes to `to`.
  void write(std::uint8_t* to, const InnerPacket& inner, const PerPacket& packet) const {
    const std::uint32_t tos = (inner.tos & inherited_.dscp) | fixed_.dscp |
                              static_cast<std::uint32_t>(outer_ecn(ecn_of(inner.tos)));
    const std::uint32_t ttl = (inner.ttl & inherited_.ttl) | fixed_.ttl;
    if (family_ == Family::Ipv6) {
      store_be32(to, 0x60000000 | tos << 20 | packet.flow_label);
      store_be32(to + 4, packet.payload << 16 | std::uint32_t{packet.protocol} << 8 | ttl);
      std::memcpy(to + 8, addresses_.data(), 32);
      return;
    }
    const std::uint32_t first = 0x4500 | tos;
    const std::uint32_t length = packet.payload + kOuterIpv4Bytes;
    const std::uint32_t df = (inner.dont_fragment ? inherited_.df : 0u) | fixed_.df;
    const std::uint32_t fifth = ttl << 8 | packet.protocol;
    const std::uint32_t sum = address_sum_ + first + length + packet.identification + df + fifth;
    const std::uint16_t checksum = static_cast<std::uint16_t>(~fold(sum));
    store_be32(to, first << 16 | length);
    store_be32(to + 4, std::uint32_t{packet.identification} << 16 | df);
    store_be32(to + 8, fifth << 16 | checksum);
    std::memcpy(to + 12, addresses_.data(), 8);
  }

 private:
  /// Bits of the fields that the rules speak of: those of the inner packet that count, and those
  /// that are always set. The functions of outer_rules.h without their branches.
  struct Bits {
    std::uint16_t df = 0;
    std::uint8_t ttl = 0;
    std::uint8_t dscp = 0;
  };

  Bits inherited_;
  Bits fixed_;
  std::array<std::uint8_t, 32> addresses_{};  ///< As they stand in the header.
  std::uint32_t address_sum_ = 0;
  OuterRules rules_;
  Family family_;
};

}  // namespace overlane::encap
