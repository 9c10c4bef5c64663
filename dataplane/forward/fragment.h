#pragma once

#include <algorithm>
#include <cstdint>

#include "dataplane/forward/packet.h"

namespace overlane::forward {

/// RFC 791: every module forwards a datagram of 68 octets whole, RFC 8200 section 5: of 1280.
/// Linux refuses smaller MTUs.
constexpr std::uint32_t smallest_mtu(Family family) {
  return family == Family::Ipv4 ? 68 : 1280;
}

/// Calls `emit(const Packet&)` with each fragment of `packet`, cut at its outermost header for
/// `mtu` (>= smallest_mtu) as ip_do_fragment and ip6_fragment do (net/ipv4/ip_output.c,
/// net/ipv6/ip6_output.c): every piece but the last as large as fits in multiples of 8 bytes, the
/// last all that fits, in order, with the identification kept. A fragment can be cut again.
template <typename Emit>
void fragment(const Packet& packet, std::uint32_t mtu, Emit emit) {
  const IpFields whole = packet.outermost();
  const std::uint32_t payload = whole.payload_bytes();
  IpFields any_piece = whole;
  any_piece.more_fragments = true;
  const std::uint32_t header_bytes = any_piece.header_bytes();
  const std::uint32_t room = mtu - header_bytes;
  std::uint32_t bytes = 0;
  for (std::uint32_t begin = 0; begin < payload; begin += bytes) {
    const std::uint32_t left = payload - begin;
    bytes = left <= room ? left : room / 8 * 8;
    Packet piece = packet;
    IpFields& header = piece.outermost();
    header.total_length = header_bytes + bytes;
    header.fragment_offset = static_cast<std::uint16_t>(whole.fragment_offset + begin);
    header.more_fragments = whole.more_fragments || begin + bytes < payload;
    if (!piece.is_encapsulated() && header.fragment_offset != 0) {
      piece.source_port = 0;
      piece.destination_port = 0;
      piece.tcp_flags = 0;
      piece.icmp.reset();
    }
    emit(static_cast<const Packet&>(piece));
  }
}

}  // namespace overlane::forward
