#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/encap/ecn.h"
#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"

namespace overlane::encap {

/// What the outer headers take from the IP packet inside.
struct InnerPacket {
  Family family = Family::Ipv4;
  std::uint8_t tos = 0;        ///< Or traffic class.
  std::uint8_t ttl = 0;        ///< Or hop limit.
  bool dont_fragment = false;  ///< True of IPv6.
  std::uint32_t length = 0;    ///< Of the whole packet, bytes.
};

/// Reads the packet at the front of `bytes`; nothing unless it is there in full by its own lengths.
/// Its checksum is left to whoever forwards it: Linux' tunnels look no closer (ip_rcv does).
inline std::optional<InnerPacket> read_inner(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kSmallest = 20;
  if (bytes.size() < kSmallest) return std::nullopt;
  const std::uint8_t* at = bytes.data();
  InnerPacket inner;
  if (at[0] >> 4 == 4) {
    inner = {.family = Family::Ipv4,
             .tos = at[1],
             .ttl = at[8],
             .dont_fragment = (at[6] & 0x40) != 0,
             .length = load_be16(at + 2)};
    const std::uint32_t header = (at[0] & 0xfu) * 4;
    if (header < kSmallest || inner.length < header) return std::nullopt;
  } else {
    constexpr std::uint32_t kIpv6Bytes = 40;
    if (at[0] >> 4 != 6) return std::nullopt;
    inner = {.family = Family::Ipv6,
             .tos = static_cast<std::uint8_t>(load_be16(at) >> 4),
             .ttl = at[7],
             .dont_fragment = true,
             .length = kIpv6Bytes + load_be16(at + 4)};
  }
  if (inner.length > bytes.size()) return std::nullopt;
  return inner;
}

/// The hash of the packet's flow (dataplane/net/flow_hash.h), of TCP and UDP with their ports.
/// `packet` is as read_inner() found it.
std::uint32_t inner_flow_hash(std::span<const std::uint8_t> packet, Family family);

/// Sets the ECN field in place, with the checksum that covers it in IPv4.
inline void set_ecn(std::uint8_t* packet, Family family, Ecn ecn) {
  if (family == Family::Ipv6) {
    packet[1] = static_cast<std::uint8_t>((packet[1] & 0xcf) | static_cast<std::uint8_t>(ecn) << 4);
    return;
  }
  const std::uint16_t before = load_be16(packet);
  packet[1] = with_ecn(packet[1], ecn);
  const std::uint16_t checksum = load_be16(packet + 10);
  store_be16(packet + 10, updated_checksum(checksum, before, load_be16(packet)));
}

}  // namespace overlane::encap
