#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/forward/packet.h"

namespace overlane::forward {

// Pure changes of a packet: encapsulate and decapsulate, cut into fragments (RFC 791, RFC 8200),
// and make the ICMP error about it (RFC 792, RFC 4443). The functions depend on the packet and
// their parameters only; they consult no table and remember nothing. NodeDecision, the fabric and
// tests use the same functions.

/// The fields of an outer header that depend on the tunnel.
struct TunnelEnds {
  IpAddress source;
  IpAddress destination;
  // For VXLAN, Geneve and WireGuard:
  std::uint32_t vni = 0;
  std::uint16_t destination_port = 0;
  /// WireGuard: the MTU in bytes of the route into the device, which limits the padding.
  std::uint32_t mtu = 0;

  auto operator<=>(const TunnelEnds&) const = default;
};

/// Adds the outer header of encap/outer_rules.h to a bare packet. The family of `ends` is that of
/// the outer header. Requires that the encapsulation runs over that family and carries the
/// packet's. The caller sets the identification.
void encapsulate(Packet& packet, Encapsulation encapsulation, const TunnelEnds& ends);

/// Removes the outer header and merges ECN. Returns false and leaves the packet unchanged if the
/// ECN rules (RFC 6040) drop it. WireGuard never drops.
[[nodiscard]] bool decapsulate(Packet& packet);

/// Returns the smallest MTU that Linux accepts, in bytes. Every IPv4 module forwards a datagram of
/// 68 octets whole (RFC 791), and every IPv6 link carries a packet of 1,280 (RFC 8200 section 5).
constexpr std::uint32_t min_mtu(Family family) {
  return family == Family::Ipv4 ? 68 : 1280;
}

/// Sizes of the received fragments of a packet that connection tracking has reassembled.
struct ReceivedFragments {
  std::vector<std::uint32_t> ends;  ///< End of each fragment, in bytes of the payload.
  std::uint32_t largest =
      /// Length of the largest fragment as a packet, in bytes: frag_max_size of the control block.
      0;
};

/// Returns payload bytes [begin, begin + bytes) of `packet` as a fragment with its outermost
/// header.
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
/// `mtu` (>= min_mtu) as ip_do_fragment and ip6_fragment do (net/ipv4/ip_output.c,
/// net/ipv6/ip6_output.c): in order and with the packet's identification. Every fragment but the
/// last has the largest multiple of 8 payload bytes that fits; the last one has the rest. A
/// fragment can be cut again.
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

/// Calls `emit` with fragments of the same sizes as those that arrived. They leave without DF.
template <typename Emit>
void fragment_as_came(Packet packet, const ReceivedFragments& fragments, Emit emit) {
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
  Unreachable,      ///< The route is of kind `unreachable`.
  HostUnreachable,  ///< The neighbour does not answer.
  Prohibited,
  PacketTooBig,
  TimeExceeded,
  PortUnreachable,
  ProtocolUnreachable,
  ReassemblyTimeout,
  WrongField,  ///< ICMPv6 only.
};

/// Returns the ICMP error about `cause` as Linux and routers send it, with hop limit 64. Over IPv4
/// it quotes up to 576 bytes in total (RFC 1812 4.3.2.3), without DF, with precedence "internetwork
/// control" (RFC 1812 4.3.2.5); the sender sets the identification. Over IPv6 its total size is up
/// to 1,280 bytes (RFC 4443 2.4). Returns nothing if RFC 1122 3.2.2 or RFC 4443 2.4 forbids the
/// error: about an ICMP error or, in IPv4, about a later fragment. `detail` is the MTU of
/// PacketTooBig, or the pointer of WrongField and, in IPv6, of ProtocolUnreachable.
std::optional<Packet> icmp_error(IcmpReason reason, const Packet& cause, IpAddress source,
                                 std::uint32_t detail = 0);

}  // namespace overlane::forward
