#pragma once

#include "dataplane/encap/outer_rules.h"
#include "dataplane/encap/testing/random_packet.h"
#include "dataplane/net/testing/checksum_oracle.h"

namespace overlane::encap::testing {

using overlane::testing::checksum_by_bits;
using overlane::testing::operator+;

// The oracle of all push(): an encoder that appends byte after byte and computes checksums bit by
// bit. It shares no code with the fast encoders.

/// Sets the right checksum in the IPv4 header of 20 bytes at the front, if there is one.
inline void fix_ipv4_checksum(Bytes& packet) {
  if (packet[0] >> 4 != 4) return;
  packet[10] = packet[11] = 0;
  const std::uint16_t checksum = checksum_by_bits(std::span(packet).first(20));
  packet[10] = static_cast<std::uint8_t>(checksum >> 8);
  packet[11] = static_cast<std::uint8_t>(checksum);
}

/// The pseudo header of a UDP checksum: addresses, protocol and length, the latter two as 32 bits.
/// The padding does not change the sum, so one layout serves both families.
inline Bytes udp_pseudo_header(const Bytes& packet, std::uint64_t length) {
  const bool ipv4 = packet[0] >> 4 == 4;
  Bytes bytes(packet.begin() + (ipv4 ? 12 : 8), packet.begin() + (ipv4 ? 20 : 40));
  append(bytes, 17, 4);
  append(bytes, length, 4);
  return bytes;
}

/// Sets the right checksum in the UDP header behind an IP header of 20 or 40 bytes, unless the
/// checksum there is 0 (none).
inline void fix_udp_checksum(Bytes& packet) {
  const std::size_t at = packet[0] >> 4 == 4 ? 20 : 40;
  if (packet[at + 6] == 0 && packet[at + 7] == 0) return;
  packet[at + 6] = packet[at + 7] = 0;
  const Bytes datagram(packet.begin() + static_cast<std::ptrdiff_t>(at), packet.end());
  std::uint16_t checksum = checksum_by_bits(udp_pseudo_header(packet, datagram.size()) + datagram);
  if (checksum == 0) checksum = 0xffff;
  packet[at + 6] = static_cast<std::uint8_t>(checksum >> 8);
  packet[at + 7] = static_cast<std::uint8_t>(checksum);
}

/// Writes the outer headers of one packet.
struct NaiveOuter {
  OuterRules rules;
  IpAddress source;
  IpAddress destination;
  std::uint16_t identification = 0;

  /// Returns an IP header of the addresses' family, followed by `payload`.
  Bytes ip(std::uint8_t protocol, const RandomPacket& inner, const Bytes& payload) const {
    Bytes bytes;
    if (source.is_ipv4()) {
      append(bytes, 0x45, 1);
      append(bytes, tos(inner), 1);
      append(bytes, 20 + payload.size(), 2);
      append(bytes, identification, 2);
      append(bytes, df(inner) ? 0x4000 : 0, 2);
      append(bytes, ttl(inner), 1);
      append(bytes, protocol, 1);
      append(bytes, 0, 2);
    } else {
      append(bytes, 0x60000000 + tos(inner) * 0x100000 + label(inner), 4);
      append(bytes, payload.size(), 2);
      append(bytes, protocol, 1);
      append(bytes, ttl(inner), 1);
    }
    append(bytes, source);
    append(bytes, destination);
    fix_ipv4_checksum(bytes);
    return bytes + payload;
  }

  /// Returns an IP and a UDP header, followed by `payload`.
  Bytes udp(const RandomPacket& inner, const Bytes& payload) const {
    Bytes datagram;
    append(datagram, source_port(inner), 2);
    append(datagram, rules.destination_port, 2);
    append(datagram, 8 + payload.size(), 2);
    append(datagram, rules.udp_checksum == UdpChecksum::Computed ? 0xffff : 0, 2);
    Bytes packet = ip(17, inner, datagram + payload);
    fix_udp_checksum(packet);
    return packet;
  }

 private:
  std::uint64_t tos(const RandomPacket& inner) const {
    const std::uint8_t ecn = inner.tos % 4 == 3 ? 2 : inner.tos % 4;
    const std::uint8_t dscp = (rules.inherits_dscp ? inner.tos : rules.tos) / 4;
    return std::uint64_t{dscp} * 4 + ecn;
  }
  std::uint64_t ttl(const RandomPacket& inner) const {
    return rules.inherits_ttl ? inner.ttl : rules.ttl;
  }
  bool df(const RandomPacket& inner) const {
    if (rules.df == DfRule::Inherit) return inner.dont_fragment;
    return rules.df == DfRule::Set;
  }
  /// udp_flow_src_port and ip6_make_flowlabel, in plain arithmetic.
  std::uint64_t source_port(const RandomPacket& inner) const {
    const std::uint64_t hash = flow_hash(inner.flow);
    const std::uint64_t folded = (hash ^ (hash * 0x10000)) % 0x100000000;
    const std::uint64_t ports = std::uint64_t{rules.last_source_port} - rules.first_source_port;
    return rules.first_source_port + folded * ports / 0x100000000;
  }
  std::uint64_t label(const RandomPacket& inner) const {
    if (rules.flow != FlowField::FlowLabel) return 0;
    const std::uint64_t hash = flow_hash(inner.flow);
    return (hash / 0x10000 + hash * 0x10000) % 0x100000;
  }
};

}  // namespace overlane::encap::testing
