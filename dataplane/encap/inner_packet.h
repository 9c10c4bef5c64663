#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/wire/ip.h"

namespace overlane::encap {

// The inner packet of a tunnel as push() and pop() read it: whether it is whole (its own lengths
// match its bytes), and the hash of its flow. PlainIp names the offsets of fields in an IP header
// without options. All functions are free of state and may run on any thread; most are inlined
// into the loops of the fast path.

/// The fields that push() and pop() read in an IP header without options, by family. Functions
/// take the address of the header, whose kBytes bytes must be readable.
template <Family kFamily>
struct PlainIp;

template <>
struct PlainIp<Family::Ipv4> {
  static constexpr std::uint32_t kBytes = wire::kIpv4Bytes;
  static constexpr std::uint32_t kAddresses = 12;

  /// Whether the header has no options and the total length `total`, which is kBytes to 65,535.
  static bool fills(const std::uint8_t* at, std::size_t total) {
    return at[0] == 0x45 &&
           load<std::uint16_t>(at + 2) == network_order(static_cast<std::uint16_t>(total));
  }
  static std::uint32_t tos(const std::uint8_t* at) { return at[1]; }
  static std::uint32_t ecn(const std::uint8_t* at) { return at[1] & kEcnMask; }
  static std::uint32_t ttl(const std::uint8_t* at) { return at[8]; }
  /// The byte that holds the DF flag (0x40).
  static std::uint32_t df(const std::uint8_t* at) { return at[6]; }
};

template <>
struct PlainIp<Family::Ipv6> {
  static constexpr std::uint32_t kBytes = wire::kIpv6Bytes;
  static constexpr std::uint32_t kAddresses = 8;

  static bool fills(const std::uint8_t* at, std::size_t total) {
    const auto payload = static_cast<std::uint16_t>(total - kBytes);
    return (at[0] & 0xf0) == 0x60 && load<std::uint16_t>(at + 4) == network_order(payload);
  }
  static std::uint32_t tos(const std::uint8_t* at) { return load_be16(at) >> 4 & 0xff; }
  static std::uint32_t ecn(const std::uint8_t* at) { return at[1] >> 4 & kEcnMask; }
  static std::uint32_t ttl(const std::uint8_t* at) { return at[7]; }
  static std::uint32_t df(const std::uint8_t*) { return 0x40; }
};

/// The family of a packet that is_whole() accepts; unspecified for other bytes.
inline Family family_of(std::span<const std::uint8_t> packet) {
  if (packet.size() < wire::kIpv4Bytes) return Family::Ipv4;
  return packet[0] < 0x60 ? Family::Ipv4 : Family::Ipv6;
}

/// Whether `packet` is one whole IPv4 packet, with or without options. Requires at least 20 bytes.
bool is_whole_with_options(std::span<const std::uint8_t> packet);

/// Whether `packet` is one whole packet of kFamily by its own length fields, of at most `most`
/// bytes. `most` must fit into the length field. The header checksum is not verified: Linux leaves
/// that to ip_rcv, and its tunnel devices do not check it again.
template <Family kFamily>
[[gnu::always_inline]] inline bool is_whole(std::span<const std::uint8_t> packet,
                                            std::size_t most) {
  using Ip = PlainIp<kFamily>;
  if (packet.size() < Ip::kBytes || packet.size() > most) return false;
  return Ip::fills(packet.data(), packet.size()) ||
         (kFamily == Family::Ipv4 && is_whole_with_options(packet));
}

/// Length in bytes of the packet of `family` at the front of `bytes`; 0 if no whole packet of that
/// family is there.
std::uint32_t whole_bytes(std::span<const std::uint8_t> bytes, Family family);

/// The slow path of inner_flow_hash(): reads the flow of any packet that is_whole() accepts.
FlowKey flow_of_other(std::span<const std::uint8_t> packet, Family family);

/// inner_flow_hash() of an unfragmented TCP or UDP packet whose IPv4 header at `at` has no options.
inline std::uint32_t plain_flow_hash(const std::uint8_t* at) {
  return flow_hash(load_be64(at + 12), load_be32(at + 20), at[9]);
}

/// inner_flow_hash() of a TCP or UDP packet whose IPv6 header at `at` has no extension headers.
inline std::uint32_t plain_ipv6_flow_hash(const std::uint8_t* at) {
  FlowKey flow{
      .source_port = load_be16(at + 40), .destination_port = load_be16(at + 42), .protocol = at[6]};
  flow.source.high = load_be64(at + 8);
  flow.source.low = load_be64(at + 16);
  flow.destination.high = load_be64(at + 24);
  flow.destination.low = load_be64(at + 32);
  return flow_hash(flow);
}

/// The hash of the packet's flow (dataplane/net/flow_hash.h), which includes the ports of TCP and
/// UDP. Requires a packet that is_whole() accepts.
inline std::uint32_t inner_flow_hash(std::span<const std::uint8_t> packet, Family family) {
  constexpr std::size_t kWithPorts = 24;
  const std::uint8_t* at = packet.data();
  // No options, no fragment, TCP (6) or UDP (17).
  const bool usual = family == Family::Ipv4 && packet.size() >= kWithPorts && at[0] == 0x45 &&
                     (load_be16(at + 6) & 0x3fff) == 0 && (at[9] == 6 || at[9] == 17);
  if (!usual) return flow_hash(flow_of_other(packet, family));
  return plain_flow_hash(at);
}

/// Sets the ECN field of the IP header at `packet` and updates the IPv4 header checksum.
void set_ecn(std::uint8_t* packet, Family family, Ecn ecn);

}  // namespace overlane::encap
