#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::encap {

/// An outer IP packet that arrived, found sound.
struct OuterPacket {
  std::span<std::uint8_t> bytes;   ///< All of it, without link padding.
  std::uint32_t header_bytes = 0;  ///< With IPv4 options, or IPv6 extension headers.
  std::uint8_t protocol = 0;       ///< Behind them.
  std::uint8_t tos = 0;            ///< Or traffic class.

  std::span<std::uint8_t> payload() const { return bytes.subspan(header_bytes); }
};

/// Reads an outer IPv4 packet as ip_rcv_core accepts it (net/ipv4/ip_input.c): Drop::BadChecksum
/// for a wrong checksum, Drop::Malformed for lengths that lie and for a fragment, which whoever
/// calls this would have reassembled first.
Result<OuterPacket, Drop> read_outer_ipv4(std::span<std::uint8_t> packet);

/// Reads an outer IPv6 packet as ip6_rcv_core accepts it (net/ipv6/ip6_input.c), past extension
/// headers that ask for nothing: hop-by-hop and destination options by the rules of ip6_parse_tlv
/// (net/ipv6/exthdrs.c), routing headers with no segment left, atomic fragments. Drop::Malformed
/// for lengths that lie, a real fragment, too many options or too much padding;
/// Drop::UnsupportedProtocol for what a node that does not know it must not pass over.
Result<OuterPacket, Drop> read_outer_ipv6(std::span<std::uint8_t> packet);

/// By the version in the first byte.
Result<OuterPacket, Drop> read_outer(std::span<std::uint8_t> packet);

/// The one's-complement sum of an IPv4 header without options, from its five words in any one byte
/// order; 0xffff when its checksum is right.
constexpr std::uint16_t header_sum(std::uint64_t first, std::uint64_t second, std::uint32_t third) {
  std::uint64_t sum = first + second;
  sum += sum < first ? 1u : 0u;
  sum = (sum >> 32) + (sum & 0xffffffff) + third;
  sum = (sum >> 32) + (sum & 0xffffffff);
  sum = (sum >> 16) + (sum & 0xffff);
  return static_cast<std::uint16_t>((sum >> 16) + sum);
}

/// The same packet as read_outer_ipv4() gives, if it is sound and of the usual form: no options.
/// Whatever else there is, nothing says why.
inline std::optional<OuterPacket> usual_ipv4(std::span<std::uint8_t> packet) {
  constexpr std::uint32_t kHeader = 20;
  // Version 4, five words of header, and neither MF nor a fragment offset.
  constexpr auto kMask = network_order(std::uint64_t{0xff00000000003fff});
  constexpr auto kPlain = network_order(std::uint64_t{0x4500000000000000});
  if (packet.size() < kHeader) return std::nullopt;
  const std::uint8_t* at = packet.data();
  const auto first = load<std::uint64_t>(at);
  const std::uint32_t total = load_be16(at + 2);
  const std::uint16_t sum =
      header_sum(first, load<std::uint64_t>(at + 8), load<std::uint32_t>(at + 16));
  if ((first & kMask) != kPlain || sum != 0xffff || total < kHeader || total > packet.size()) {
    return std::nullopt;
  }
  return OuterPacket{
      .bytes = packet.first(total), .header_bytes = kHeader, .protocol = at[9], .tos = at[1]};
}

/// The same packet as read_outer_ipv6() gives, if it is sound and of the usual form: what Linux'
/// tunnels send, with ip6tnl's encapsulation limit and PadN as the only options.
inline std::optional<OuterPacket> usual_ipv6(std::span<std::uint8_t> packet) {
  constexpr std::uint32_t kHeader = 40;
  constexpr std::uint32_t kLimit = 8;
  constexpr std::uint8_t kOptions = 60;
  constexpr auto kMask = network_order(std::uint64_t{0x00ffffff00ffffff});
  constexpr auto kLimitAlone = network_order(std::uint64_t{0x0000040100010100});
  if (packet.size() < kHeader + kLimit) return std::nullopt;
  const std::uint8_t* at = packet.data();
  const std::uint32_t total = kHeader + load_be16(at + 4);
  const bool has_limit = at[6] == kOptions &&
                         (load<std::uint64_t>(at + kHeader) & kMask) == kLimitAlone &&
                         total >= kHeader + kLimit;
  const std::uint8_t protocol = has_limit ? at[kHeader] : at[6];
  const bool is_payload = protocol == 4 || protocol == 17 || protocol == 41;
  if (at[0] >> 4 != 6 || total > packet.size() || !is_payload) return std::nullopt;
  return OuterPacket{.bytes = packet.first(total),
                     .header_bytes = has_limit ? kHeader + kLimit : kHeader,
                     .protocol = protocol,
                     .tos = static_cast<std::uint8_t>(load_be16(at) >> 4)};
}

inline std::optional<OuterPacket> usual_outer(std::span<std::uint8_t> packet) {
  const bool ipv6 = !packet.empty() && packet[0] >> 4 == 6;
  return ipv6 ? usual_ipv6(packet) : usual_ipv4(packet);
}

}  // namespace overlane::encap
