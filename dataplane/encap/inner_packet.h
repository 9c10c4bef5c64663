#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/ecn.h"
#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

namespace overlane::encap {

/// What the outer headers take from the IP packet inside.
struct InnerPacket {
  static constexpr int kTosShift = 48;
  static constexpr std::uint64_t kDontFragment = 0x4000;

  Family family = Family::Ipv4;
  std::uint8_t ttl = 0;      ///< Or hop limit.
  std::uint32_t length = 0;  ///< Of the whole packet, bytes.
  /// TOS or traffic class, and DF, which is set for IPv6, where they stand in the first eight bytes
  /// of an IPv4 header, read as a big-endian number. The other bits mean nothing.
  std::uint64_t first = 0;

  std::uint8_t tos() const { return static_cast<std::uint8_t>(first >> kTosShift); }
};

/// The fields at the front of a packet of that family, whose header is there in full.
template <Family kFamily>
[[gnu::always_inline]] inline InnerPacket inner_fields(const std::uint8_t* at) {
  const std::uint64_t first = load_be64(at);
  if (kFamily == Family::Ipv4) {
    return {.family = kFamily,
            .ttl = at[8],
            .length = static_cast<std::uint16_t>(first >> 32),
            .first = first};
  }
  return {.family = kFamily,
          .ttl = static_cast<std::uint8_t>(first),
          .length = static_cast<std::uint32_t>(wire::kIpv6Bytes + (first >> 16 & 0xffff)),
          .first = first >> 4 | InnerPacket::kDontFragment};
}

/// By the version in the first byte.
inline bool is_ipv6(std::span<const std::uint8_t> packet) {
  return !packet.empty() && packet[0] >> 4 == 6;
}

/// Reads the packet of a family that fills `packet`; false unless it does so by its own lengths.
/// Its checksum is left to whoever forwards it: Linux' tunnels look no closer, ip_rcv does.
template <Family kFamily>
[[gnu::always_inline]] inline bool read_whole(std::span<const std::uint8_t> packet,
                                              InnerPacket& inner) {
  constexpr bool kIpv4 = kFamily == Family::Ipv4;
  if (packet.size() < (kIpv4 ? wire::kIpv4Bytes : wire::kIpv6Bytes)) return false;
  inner = inner_fields<kFamily>(packet.data());
  if (inner.length != packet.size()) return false;
  if (!kIpv4) return packet[0] >> 4 == 6;
  // Version 4 and five words, or up to fifteen.
  return packet[0] == 0x45 || (packet[0] - 0x45u <= 10 && inner.length >= (packet[0] & 0xfu) * 4);
}

/// The same of a packet at the front of `bytes`, whatever stands behind it.
bool read_inner(std::span<const std::uint8_t> bytes, Family family, InnerPacket& inner);

/// The flow of any packet that read_inner() found.
FlowKey unusual_flow(std::span<const std::uint8_t> packet, Family family);

/// The hash of the packet's flow (dataplane/net/flow_hash.h), of TCP and UDP with their ports.
/// `packet` is as read_inner() found it.
inline std::uint32_t inner_flow_hash(std::span<const std::uint8_t> packet, Family family) {
  constexpr std::size_t kWithPorts = 24;
  const std::uint8_t* at = packet.data();
  // No options, no fragment, TCP (6) or UDP (17).
  const bool usual = family == Family::Ipv4 && packet.size() >= kWithPorts && at[0] == 0x45 &&
                     (load_be16(at + 6) & 0x3fff) == 0 && (at[9] == 6 || at[9] == 17);
  if (!usual) return flow_hash(unusual_flow(packet, family));
  return flow_hash({.source = Ipv4Address{load_be32(at + 12)},
                    .destination = Ipv4Address{load_be32(at + 16)},
                    .source_port = load_be16(at + 20),
                    .destination_port = load_be16(at + 22),
                    .protocol = at[9]});
}

/// Sets the ECN field in place, with the checksum that covers it in IPv4.
void set_ecn(std::uint8_t* packet, Family family, Ecn ecn);

}  // namespace overlane::encap
