#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/forward/packet.h"

namespace overlane::forward {

// Changes of a packet that depend on nothing but the packet and their parameters: encapsulate
// and decapsulate, cut into fragments (RFC 791, RFC 8200), and make the ICMP error about it
// (RFC 792, RFC 4443). No table is consulted and nothing is remembered. NodeDecision, the
// fabric and tests use the same functions.

/// Where a tunnel packet goes and what marks it.
struct TunnelEnds {
  IpAddress source;
  IpAddress destination;
  // VXLAN, Geneve and WireGuard.
  std::uint32_t vni = 0;
  std::uint16_t destination_port = 0;
  /// WireGuard: the MTU of the route into the device, which padding does not exceed.
  std::uint32_t mtu = 0;

  auto operator<=>(const TunnelEnds&) const = default;
};

/// Puts the outer header of encap/outer_rules.h on a bare packet, of the family of `ends`, which
/// the encapsulation must run over and whose packet it must carry. The identification is left to
/// the caller.
void encapsulate(Packet& packet, Encapsulation encapsulation, const TunnelEnds& ends);

/// Takes the outer header off again, with the ECN rules of RFC 6040; false, and the packet
/// untouched, when they want it dropped, which WireGuard does not do.
[[nodiscard]] bool decapsulate(Packet& packet);

/// RFC 791: every module forwards a datagram of 68 octets whole, RFC 8200 section 5: of 1280.
/// Linux refuses smaller MTUs.
constexpr std::uint32_t smallest_mtu(Family family) {
  return family == Family::Ipv4 ? 68 : 1280;
}

/// The fragments in which a packet came that connection tracking put together.
struct CameAsFragments {
  std::vector<std::uint32_t> ends;  ///< End of each fragment, in bytes of the payload.
  std::uint32_t largest =
      0;  ///< Length of the largest as a packet: frag_max_size of the control block.
};

/// Payload bytes [begin, begin + bytes) of `packet`, cut at its outermost header.
inline Packet fragment_of(const Packet& packet, std::uint32_t begin, std::uint32_t bytes) {
  const IpFields& whole = packet.outermost();
  Packet fragment = packet;
  IpFields& header = fragment.outermost();
  header.fragment_offset = static_cast<std::uint16_t>(whole.fragment_offset + begin);
  header.more_fragments = whole.more_fragments || begin + bytes < whole.payload_bytes();
  header.total_length = header.header_bytes() + bytes;
  if (!fragment.is_encapsulated() && header.fragment_offset != 0) {
    fragment.source_port = 0;
    fragment.destination_port = 0;
    fragment.tcp_flags = 0;
    fragment.icmp.reset();
  }
  return fragment;
}

/// Calls `emit(const Packet&)` with each fragment of `packet`, cut at its outermost header for
/// `mtu` (>= smallest_mtu) as ip_do_fragment and ip6_fragment do (net/ipv4/ip_output.c,
/// net/ipv6/ip6_output.c): every fragment but the last as large as fits in multiples of 8 bytes,
/// the last all that fits, in order, with the identification kept. A fragment can be cut again.
template <typename Emit>
void fragment(const Packet& packet, std::uint32_t mtu, Emit emit) {
  IpFields any_fragment = packet.outermost();
  const std::uint32_t payload = any_fragment.payload_bytes();
  any_fragment.more_fragments = true;
  const std::uint32_t room = mtu - any_fragment.header_bytes();
  std::uint32_t bytes = 0;
  for (std::uint32_t begin = 0; begin < payload; begin += bytes) {
    const std::uint32_t left = payload - begin;
    bytes = left <= room ? left : room / 8 * 8;
    emit(fragment_of(packet, begin, bytes));
  }
}

/// Calls `emit` with the fragments in which the packet arrived. They leave without DF.
template <typename Emit>
void fragment_as_came(Packet packet, const CameAsFragments& fragments, Emit emit) {
  packet.outermost().dont_fragment = false;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : fragments.ends) {
    emit(fragment_of(packet, begin, end - begin));
    begin = end;
  }
}

/// The ICMP errors that a node makes (RFC 792, RFC 1191, RFC 4443).
enum class IcmpReason : std::uint8_t {
  NoRoute,
  Unreachable,      ///< By an unreachable route.
  HostUnreachable,  ///< The neighbour does not answer.
  Prohibited,
  PacketTooBig,
  TimeExceeded,
  PortUnreachable,
  ProtocolUnreachable,
  ReassemblyTimeout,
  WrongField,  ///< ICMPv6 alone.
};

/// The error about `cause` as Linux and routers send it, hop limit 64. Over IPv4 it quotes what
/// fits into 576 bytes (RFC 1812 4.3.2.3), DF unset, precedence "internetwork control" (RFC 1812
/// 4.3.2.5), and the identification is left to the sender. Over IPv6 it quotes what fits into 1,280
/// bytes (RFC 4443 2.4). Nothing when RFC 1122 3.2.2 and RFC 4443 2.4 forbid one: about an ICMP
/// error or, in IPv4, about a later fragment. `detail`: the MTU of PacketTooBig, the pointer of
/// WrongField and, in IPv6, of ProtocolUnreachable.
std::optional<Packet> icmp_error(IcmpReason reason, const Packet& cause, IpAddress source,
                                 std::uint32_t detail = 0);

}  // namespace overlane::forward
