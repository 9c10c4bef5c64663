#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/encap/inner_packet.h"
#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/transport.h"
#include "results/finding/finding.h"

namespace overlane::encap {

// Decapsulation: removes the outer headers of a tunnel packet in place, for all encapsulations.
// The slow path of pop() follows the checks of Linux and names the reason for a drop: read_outer()
// and read_udp() check the outer headers, take_inner() the inner packet and its ECN field. Most
// kinds also have a fast path (FastPathEligible), which recognises packets of the common
// form by a few comparisons; all other packets take the slow path. A property test compares both
// paths. The functions keep no state; they may run on any thread that owns the packet's buffer.

/// A received outer IP packet whose headers have been checked. The bytes belong to the caller.
struct OuterPacket {
  std::span<std::uint8_t> bytes;   ///< The whole packet, without link padding.
  std::uint32_t header_bytes = 0;  ///< Includes IPv4 options and IPv6 extension headers.
  std::uint8_t protocol = 0;       ///< Protocol behind header_bytes.
  std::uint8_t tos = 0;            ///< IPv4 TOS or IPv6 traffic class.

  std::span<std::uint8_t> payload() const { return bytes.subspan(header_bytes); }
};

/// Reads an outer IPv4 packet by the checks of ip_rcv_core (net/ipv4/ip_input.c): Drop::BadChecksum
/// for a wrong checksum, Drop::Malformed for wrong lengths and for a fragment, because a node
/// reassembles fragments before a tunnel device receives the packet.
Result<OuterPacket, Drop> read_outer_ipv4(std::span<std::uint8_t> packet);

/// Reads an outer IPv6 packet by the checks of ip6_rcv_core (net/ipv6/ip6_input.c). Skips extension
/// headers that require no action: hop-by-hop and destination options by the rules of ip6_parse_tlv
/// (net/ipv6/exthdrs.c), routing headers with no segment left, atomic fragments. Drop::Malformed
/// for wrong lengths, a real fragment, too many options or too much padding;
/// Drop::UnsupportedProtocol for unknown options and headers that must not be skipped.
Result<OuterPacket, Drop> read_outer_ipv6(std::span<std::uint8_t> packet);

/// Reads an outer packet of the IP version in its first byte.
Result<OuterPacket, Drop> read_outer(std::span<std::uint8_t> packet);

/// Returns `outer` cut to the length of its UDP datagram, by the checks of __udp4_lib_rcv and
/// __udp6_lib_rcv (net/ipv4/udp.c, net/ipv6/udp.c). Drop::UnsupportedProtocol if it is not UDP;
/// Drop::Malformed for a wrong UDP length (0 over IPv6 means the rest of the packet);
/// Drop::BadChecksum for a wrong checksum and, over IPv6, for a checksum of 0 unless
/// `zero_over_ipv6` (`udp6zerocsumrx`).
Result<OuterPacket, Drop> read_udp(const OuterPacket& outer, bool zero_over_ipv6);

/// A decapsulated tunnel packet. Both spans point into the buffer that was given to pop().
struct Popped {
  Family inner_family = Family::Ipv4;
  std::span<std::uint8_t> inner;  ///< Inner packet without padding, with its final ECN field.
  std::span<const std::uint8_t> headers;  ///< All bytes before `inner`, outer IP header first.
  std::uint32_t outer_bytes = 0;          ///< Bytes of the outer IP header, options and extensions.

  /// Addresses of the outer IP header.
  IpAddress source() const;
  IpAddress destination() const;
  /// The headers between the outer IP header and the inner packet.
  std::span<const std::uint8_t> tunnel_headers() const { return headers.subspan(outer_bytes); }
};

/// Lengths of the parts of a tunnel packet, or the reason for a drop. Functions return it instead
/// of Popped because it fits into registers.
struct Parts {
  std::uint32_t outer_bytes = 0;
  std::uint32_t header_bytes = 0;  ///< All bytes before the inner packet.
  std::uint32_t inner_bytes = 0;
  Family inner_family = Family::Ipv4;
  bool refused = false;
  Drop drop = Drop::Malformed;
};

constexpr Parts refuse(Drop drop) {
  return {.refused = true, .drop = drop};
}

[[gnu::always_inline]] inline Result<Popped, Drop> popped(std::span<std::uint8_t> packet,
                                                          const Parts& parts) {
  if (parts.refused) return fail(parts.drop);
  return Popped{.inner_family = parts.inner_family,
                .inner = packet.subspan(parts.header_bytes, parts.inner_bytes),
                .headers = packet.first(parts.header_bytes),
                .outer_bytes = parts.outer_bytes};
}

/// Checks the inner packet, which begins `offset` bytes into `outer` and must be of `family`, and
/// sets its ECN field in place by RFC 6040 as INET_ECN_decapsulate does (include/net/inet_ecn.h).
/// Drop::Malformed if no whole packet of `family` is there, Drop::EcnCorrupted if the outer header
/// marks congestion and the inner packet is Not-ECT.
Parts take_inner(const OuterPacket& outer, std::size_t offset, Family family);

/// A pattern for eight bytes of a header: the bits in `mask` must equal those of `value`. The most
/// significant byte of both is the first one of the header.
struct Bits {
  std::uint64_t mask = 0;
  std::uint64_t value = 0;

  bool are_at(const std::uint8_t* at) const {
    return (load<std::uint64_t>(at) & network_order(mask)) == network_order(value & mask);
  }
};

/// Whether the IPv4 header without options at `at` has a right checksum.
inline bool header_checksum_is_right(const std::uint8_t* at) {
  WideSum sum(load<std::uint64_t>(at));
  sum.add<wire::kIpv4Bytes - 8>(at + 8);
  return sum.is_zero();
}

/// Whether the outer header at `at`, whose version is kOuter, announces `protocol`. Over IPv4 the
/// packet must also be no fragment and have a right header checksum.
template <Family kOuter>
[[gnu::always_inline]] inline bool leads_to(const std::uint8_t* at, std::uint8_t protocol) {
  if (kOuter == Family::Ipv6) return at[6] == protocol;
  constexpr std::uint16_t kFragment = 0x3fff;
  return (load<std::uint16_t>(at + 6) & network_order(kFragment)) == 0 && at[9] == protocol &&
         header_checksum_is_right(at);
}

/// Whether the UDP header behind a kOuter header without options has a length equal to the rest of
/// `packet`, as Linux writes it.
template <Family kOuter>
[[gnu::always_inline]] inline bool udp_fills(std::span<const std::uint8_t> packet) {
  const std::size_t length = packet.size() - PlainIp<kOuter>::kBytes;
  return load_be16(packet.data() + PlainIp<kOuter>::kBytes + 4) == length;
}

/// Whether the checksum of a datagram that udp_fills() accepts is right, or 0 over IPv4.
/// kSoundHeader is the offset of an inner IPv4 header whose own checksum is known to be right: its
/// bytes sum to zero and are skipped. 0 if there is none.
template <Family kOuter, std::uint32_t kSoundHeader = 0>
[[gnu::always_inline]] inline bool udp_checksum_is_right(std::span<const std::uint8_t> packet) {
  using Outer = PlainIp<kOuter>;
  if (load<std::uint16_t>(packet.data() + Outer::kBytes + 6) == 0) return kOuter == Family::Ipv4;
  WideSum sum(
      network_order(static_cast<std::uint16_t>(wire::kUdp + packet.size() - Outer::kBytes)));
  if constexpr (kSoundHeader == 0) {
    sum.add(packet.subspan(Outer::kAddresses));
  } else {
    sum.add<kSoundHeader - Outer::kAddresses>(packet.data() + Outer::kAddresses);
    sum.add(packet.subspan(kSoundHeader + PlainIp<Family::Ipv4>::kBytes));
  }
  return sum.is_zero();
}

/// Recognises packets of the common form: an outer header of kOuter without options, kProtocol
/// behind it, kHeaders bytes of headers in total, and an inner packet without options that fills
/// the rest and has the ECN field of the outer header. Such a packet needs no further check and no
/// change. Any other packet may be valid too; pop() sends it to the slow path.
template <Family kOuter, std::uint8_t kProtocol, std::uint32_t kHeaders>
struct FastPathEligible {
  using Outer = PlainIp<kOuter>;

  /// Whether the outer IP header and, if there is one, the UDP header are valid, and at least 20
  /// bytes follow kHeaders. The caller checks the encapsulation's own header.
  [[gnu::always_inline]] static bool is_outer(std::span<const std::uint8_t> packet) {
    constexpr std::size_t kMin = kHeaders + PlainIp<Family::Ipv4>::kBytes;
    if (packet.size() - kMin > 0xffff - kMin) return false;
    if (!Outer::fills(packet.data(), packet.size())) return false;
    if (!leads_to<kOuter>(packet.data(), kProtocol)) return false;
    if (kProtocol != wire::kUdp) return true;
    return udp_fills<kOuter>(packet) && udp_checksum_is_right<kOuter>(packet);
  }

  /// The parts of a packet that is_outer() accepts. Refuses it if the inner packet is not of
  /// kInner, has options, does not fill the rest, or has another ECN field than the outer header.
  template <Family kInner>
  [[gnu::always_inline]] static Parts parts(std::span<const std::uint8_t> packet) {
    using Inner = PlainIp<kInner>;
    const std::uint8_t* at = packet.data() + kHeaders;
    const std::size_t length = packet.size() - kHeaders;
    if (kInner == Family::Ipv6 && length < Inner::kBytes) return refuse(Drop::Malformed);
    if (!Inner::fills(at, length)) return refuse(Drop::Malformed);
    if (Outer::ecn(packet.data()) != Inner::ecn(at)) return refuse(Drop::Malformed);
    return {.outer_bytes = kProtocol == wire::kUdp ? Outer::kBytes : kHeaders,
            .header_bytes = kHeaders,
            .inner_bytes = static_cast<std::uint32_t>(length),
            .inner_family = kInner};
  }
};

/// The IP family that an EtherType announces.
constexpr std::optional<Family> family_of(std::uint16_t ether_type) {
  if (ether_type == wire::kEtherTypeIpv4) return Family::Ipv4;
  if (ether_type == wire::kEtherTypeIpv6) return Family::Ipv6;
  return std::nullopt;
}
constexpr std::uint16_t ether_type_of(Family family) {
  return family == Family::Ipv4 ? wire::kEtherTypeIpv4 : wire::kEtherTypeIpv6;
}

/// The MAC address in the six bytes at `at`.
inline MacAddress mac_at(const std::uint8_t* at) {
  MacAddress mac;
  std::copy_n(at, mac.bytes.size(), mac.bytes.begin());
  return mac;
}

/// The fast path of VXLAN and Geneve: the parts of an eligible packet (FastPathEligible) over
/// kOuter and UDP, with a tunnel header of kBytes bytes that matches kHeader, followed by an
/// Ethernet frame with an IP packet. Refuses all other packets, which then take the slow path.
template <Family kOuter, std::uint32_t kBytes, Bits kHeader>
[[gnu::always_inline]] inline Parts plain_frame(std::span<const std::uint8_t> packet) {
  constexpr std::uint32_t kOffset = PlainIp<kOuter>::kBytes + wire::kUdpBytes;
  constexpr std::uint32_t kHeaders = kOffset + kBytes + wire::kEthernetBytes;
  using Eligible = FastPathEligible<kOuter, wire::kUdp, kHeaders>;
  if (!Eligible::is_outer(packet) || !kHeader.are_at(packet.data() + kOffset))
    return refuse(Drop::Malformed);
  const std::uint16_t type = load_be16(packet.data() + kHeaders - 2);
  if (type == wire::kEtherTypeIpv4) return Eligible::template parts<Family::Ipv4>(packet);
  if (type == wire::kEtherTypeIpv6) return Eligible::template parts<Family::Ipv6>(packet);
  return refuse(Drop::Malformed);
}

}  // namespace overlane::encap
