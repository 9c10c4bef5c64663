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

// The removal of an outer header, for all encapsulations: read_outer() accepts the outer packet as
// the kernel does, Popped is the result, and FastPathEligible the inlined short path.

// The first step of pop: reads the outer IP header as ip_rcv_core and ip6_rcv_core accept it,
// then the UDP header of tunnels that have one. Fragments are refused, because a node
// reassembles before a tunnel device sees the packet.

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

/// The outer packet cut to its UDP datagram, as __udp4_lib_rcv and __udp6_lib_rcv accept it
/// (net/ipv4/udp.c, net/ipv6/udp.c): Drop::Malformed for a length that lies, where 0 over IPv6
/// means all of the packet; Drop::BadChecksum for a wrong checksum and, over IPv6, for none, unless
/// `zero_over_ipv6` (`udp6zerocsumrx`).
Result<OuterPacket, Drop> read_udp(const OuterPacket& outer, bool zero_over_ipv6);

// The result of pop, and the inlined short path that finds it. A packet of the common form (no
// options, no extension headers, matching ECN fields) is recognised by a few comparisons
// (FastPathEligible); every other packet takes the checked path of its kind, which also finds
// the reason for a drop. A property test compares both paths.

/// A tunnel packet taken apart in place. Both spans lie in the buffer that was popped.
struct Popped {
  Family inner_family = Family::Ipv4;
  std::span<std::uint8_t> inner;  ///< The packet inside, its ECN field set; no padding behind it.
  std::span<const std::uint8_t> headers;  ///< All in front of it, outer IP header first.
  std::uint32_t outer_bytes = 0;          ///< Bytes of the outer IP header, options and extensions.

  IpAddress source() const;
  IpAddress destination() const;
  /// What stands between outer IP header and inner packet.
  std::span<const std::uint8_t> tunnel_headers() const { return headers.subspan(outer_bytes); }
};

/// A tunnel packet taken apart, in numbers, or the reason for a drop: small enough for a function
/// to return it in registers.
struct Parts {
  std::uint32_t outer_bytes = 0;
  std::uint32_t header_bytes = 0;  ///< All in front of the inner packet.
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

/// The inner packet of a sound outer one, `offset` bytes into it, where a packet of `family` was
/// announced; its ECN field is set by RFC 6040 as INET_ECN_decapsulate does it
/// (include/net/inet_ecn.h). Drop::Malformed when it is of another family or not there in full,
/// Drop::EcnCorrupted when congestion was marked on a packet that cannot carry the mark.
Parts take_inner(const OuterPacket& outer, std::size_t offset, Family family);

/// The bits of `mask` in the eight bytes at a place have one value. Both are big-endian.
struct Bits {
  std::uint64_t mask = 0;
  std::uint64_t value = 0;

  bool are_at(const std::uint8_t* at) const {
    return (load<std::uint64_t>(at) & network_order(mask)) == network_order(value & mask);
  }
};

/// Whether the checksum of an IPv4 header without options is right.
inline bool header_checksum_is_right(const std::uint8_t* at) {
  WideSum sum(load<std::uint64_t>(at));
  sum.add<wire::kIpv4Bytes - 8>(at + 8);
  return sum.is_zero();
}

/// Whether the header at `at`, whose version is known, is that of a whole packet with `protocol`
/// behind it, and its checksum right.
template <Family kOuter>
[[gnu::always_inline]] inline bool leads_to(const std::uint8_t* at, std::uint8_t protocol) {
  if (kOuter == Family::Ipv6) return at[6] == protocol;
  constexpr std::uint16_t kFragment = 0x3fff;
  return (load<std::uint16_t>(at + 6) & network_order(kFragment)) == 0 && at[9] == protocol &&
         header_checksum_is_right(at);
}

/// Whether a UDP header says, as Linux writes it, that it fills the rest of `packet` behind the
/// usual header of that family.
template <Family kOuter>
[[gnu::always_inline]] inline bool udp_fills(std::span<const std::uint8_t> packet) {
  const std::size_t length = packet.size() - PlainIp<kOuter>::kBytes;
  return load_be16(packet.data() + PlainIp<kOuter>::kBytes + 4) == length;
}

/// Whether that datagram's checksum is right. Over IPv4 there may be none. An IPv4 header inside it
/// adds nothing to the sum when its own checksum is right: kSoundHeader says where it is, if it is.
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

/// Packets of the usual form: an outer header of kOuter without options, `kProtocol` behind it,
/// kHeaders bytes in all up to a packet without options that fills the rest. They are sound, and
/// there is nothing to be done about them. What is not found here may be sound too: pop() of each
/// kind then looks closer, and finds the reason.
template <Family kOuter, std::uint8_t kProtocol, std::uint32_t kHeaders>
struct FastPathEligible {
  using Outer = PlainIp<kOuter>;

  /// Whether there is something of some family behind kHeaders, and nothing is wrong in front, but
  /// for the tunnel's own header.
  [[gnu::always_inline]] static bool is_outer(std::span<const std::uint8_t> packet) {
    constexpr std::size_t kMin = kHeaders + PlainIp<Family::Ipv4>::kBytes;
    if (packet.size() - kMin > 0xffff - kMin) return false;
    if (!Outer::fills(packet.data(), packet.size())) return false;
    if (!leads_to<kOuter>(packet.data(), kProtocol)) return false;
    if (kProtocol != wire::kUdp) return true;
    return udp_fills<kOuter>(packet) && udp_checksum_is_right<kOuter>(packet);
  }

  /// The parts of such a packet, when what is inside is of that family, and has the ECN field of
  /// the outer header.
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

/// The addresses of an inner Ethernet header.
inline MacAddress mac_at(const std::uint8_t* at) {
  MacAddress mac;
  std::copy_n(at, mac.bytes.size(), mac.bytes.begin());
  return mac;
}

/// The parts of a packet over kOuter and UDP (FastPathEligible) that holds a frame with an IP
/// packet behind a tunnel header of kBytes bytes, whose first eight have `kHeader`.
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
