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

// What push needs to know about the packet that goes into a tunnel: whether it is whole, and
// the hash of its flow. PlainIp names the offsets that push and pop look at in an IP header
// without options. The functions read only `packet` and are inlined into the loops of the fast
// path.

/// The fields of an IP header that push and pop of every packet look at, by family.
template <Family kFamily>
struct PlainIp;

template <>
struct PlainIp<Family::Ipv4> {
  static constexpr std::uint32_t kBytes = wire::kIpv4Bytes;
  static constexpr std::uint32_t kAddresses = 12;

  /// Whether a header without options says that it belongs to a packet of `total` bytes, which are
  /// at least kBytes and at most 65,535.
  static bool fills(const std::uint8_t* at, std::size_t total) {
    return at[0] == 0x45 &&
           load<std::uint16_t>(at + 2) == network_order(static_cast<std::uint16_t>(total));
  }
  static std::uint32_t tos(const std::uint8_t* at) { return at[1]; }
  static std::uint32_t ecn(const std::uint8_t* at) { return at[1] & kEcnMask; }
  static std::uint32_t ttl(const std::uint8_t* at) { return at[8]; }
  /// The byte with DF, which is 0x40 in it.
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

/// The family of `packet` if is_whole() accepts it; either where it accepts none.
inline Family family_of(std::span<const std::uint8_t> packet) {
  if (packet.size() < wire::kIpv4Bytes) return Family::Ipv4;
  return packet[0] < 0x60 ? Family::Ipv4 : Family::Ipv6;
}

/// Whether an IPv4 packet with options fills `packet`, which has the bytes of a header without.
bool is_whole_with_options(std::span<const std::uint8_t> packet);

/// Whether a packet of that family fills `packet` by its own lengths, and has at most `most` bytes,
/// which is not beyond what the length field can say. Its checksum is left to whoever forwards it:
/// Linux' tunnels look no closer, ip_rcv does.
template <Family kFamily>
[[gnu::always_inline]] inline bool is_whole(std::span<const std::uint8_t> packet,
                                            std::size_t most) {
  using Ip = PlainIp<kFamily>;
  if (packet.size() < Ip::kBytes || packet.size() > most) return false;
  return Ip::fills(packet.data(), packet.size()) ||
         (kFamily == Family::Ipv4 && is_whole_with_options(packet));
}

/// The bytes of the packet of that family at the front of `bytes`; 0 when it is not there in full.
std::uint32_t whole_bytes(std::span<const std::uint8_t> bytes, Family family);

/// The flow of any packet that is_whole() accepts.
FlowKey flow_of_other(std::span<const std::uint8_t> packet, Family family);

/// inner_flow_hash() of TCP or UDP behind an IPv4 header without options, in no fragment.
inline std::uint32_t plain_flow_hash(const std::uint8_t* at) {
  return flow_hash(load_be64(at + 12), load_be32(at + 20), at[9]);
}

/// inner_flow_hash() of TCP or UDP behind an IPv6 header without extension headers.
inline std::uint32_t plain_ipv6_flow_hash(const std::uint8_t* at) {
  FlowKey flow{
      .source_port = load_be16(at + 40), .destination_port = load_be16(at + 42), .protocol = at[6]};
  flow.source.high = load_be64(at + 8);
  flow.source.low = load_be64(at + 16);
  flow.destination.high = load_be64(at + 24);
  flow.destination.low = load_be64(at + 32);
  return flow_hash(flow);
}

/// The hash of the packet's flow (dataplane/net/flow_hash.h), of TCP and UDP with their ports.
/// `packet` is one that is_whole() accepts.
inline std::uint32_t inner_flow_hash(std::span<const std::uint8_t> packet, Family family) {
  constexpr std::size_t kWithPorts = 24;
  const std::uint8_t* at = packet.data();
  // No options, no fragment, TCP (6) or UDP (17).
  const bool usual = family == Family::Ipv4 && packet.size() >= kWithPorts && at[0] == 0x45 &&
                     (load_be16(at + 6) & 0x3fff) == 0 && (at[9] == 6 || at[9] == 17);
  if (!usual) return flow_hash(flow_of_other(packet, family));
  return plain_flow_hash(at);
}

/// Sets the ECN field in place, with the checksum that covers it in IPv4.
void set_ecn(std::uint8_t* packet, Family family, Ecn ecn);

}  // namespace overlane::encap
