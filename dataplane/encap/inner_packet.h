#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/encap/ecn.h"
#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/flow_hash.h"

namespace overlane::encap {

/// What the outer headers take from the IP packet inside.
struct InnerPacket {
  Family family = Family::Ipv4;
  std::uint8_t tos = 0;        ///< Or traffic class.
  std::uint8_t ttl = 0;        ///< Or hop limit.
  bool dont_fragment = false;  ///< True of IPv6.
  std::uint32_t length = 0;    ///< Of the whole packet, bytes.
};

/// Reads the packet of a family at the front of `bytes`; nothing unless it is there in full by its
/// own lengths. Its checksum is left to whoever forwards it: Linux' tunnels look no closer, ip_rcv
/// does.
inline std::optional<InnerPacket> read_inner_ipv4(std::span<const std::uint8_t> bytes) {
  constexpr std::uint32_t kHeader = 20;
  if (bytes.size() < kHeader) return std::nullopt;
  const std::uint8_t* at = bytes.data();
  const std::uint32_t length = load_be16(at + 2);
  const std::uint32_t header = (at[0] & 0xfu) * 4;
  const bool whole = header >= kHeader && length >= header && length <= bytes.size();
  if (at[0] >> 4 != 4 || !whole) return std::nullopt;
  return InnerPacket{.family = Family::Ipv4,
                     .tos = at[1],
                     .ttl = at[8],
                     .dont_fragment = (at[6] & 0x40) != 0,
                     .length = length};
}
inline std::optional<InnerPacket> read_inner_ipv6(std::span<const std::uint8_t> bytes) {
  constexpr std::uint32_t kHeader = 40;
  if (bytes.size() < kHeader) return std::nullopt;
  const std::uint8_t* at = bytes.data();
  const std::uint32_t length = kHeader + load_be16(at + 4);
  if (at[0] >> 4 != 6 || length > bytes.size()) return std::nullopt;
  return InnerPacket{.family = Family::Ipv6,
                     .tos = static_cast<std::uint8_t>(load_be16(at) >> 4),
                     .ttl = at[7],
                     .dont_fragment = true,
                     .length = length};
}
inline std::optional<InnerPacket> read_inner(std::span<const std::uint8_t> bytes, Family family) {
  return family == Family::Ipv4 ? read_inner_ipv4(bytes) : read_inner_ipv6(bytes);
}
/// By the version in the first byte.
inline std::optional<InnerPacket> read_inner(std::span<const std::uint8_t> bytes) {
  const bool ipv6 = !bytes.empty() && bytes[0] >> 4 == 6;
  return read_inner(bytes, ipv6 ? Family::Ipv6 : Family::Ipv4);
}

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
