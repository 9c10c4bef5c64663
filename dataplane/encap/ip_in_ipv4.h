#pragma once

#include <cassert>
#include <cstdint>
#include <span>

#include "dataplane/encap/inner_packet.h"
#include "dataplane/encap/outer_header.h"
#include "dataplane/encap/popped.h"
#include "dataplane/net/drop.h"
#include "results/finding/finding.h"

namespace overlane::encap {

// The shared part of IPIP (RFC 2003) and SIT (RFC 4213): one IPv4 header in front of a packet
// of one family, and its removal.

/// Writes the outer header in front of a packet that is_whole() accepts, where there is room.
template <Family kFamily>
[[gnu::always_inline]] inline std::span<std::uint8_t> wrap_in_ipv4(const OuterIpv4& outer,
                                                                   std::span<std::uint8_t> packet,
                                                                   const PerPacket& per_packet) {
  std::uint8_t* to = packet.data() - outer.size();
  outer.write<kFamily>(to, static_cast<std::uint32_t>(packet.size()), packet.data(), per_packet);
  return {to, packet.data() + packet.size()};
}

/// What IPIP and SIT have in common: nothing but an IPv4 header in front of a packet of one family.
/// ipip/ipip.h says what is refused.
template <Family kFamily>
[[gnu::always_inline]] inline Result<std::span<std::uint8_t>, Drop> push_ipv4(
    const OuterIpv4& outer, std::span<std::uint8_t> buffer, std::size_t room,
    const PerPacket& per_packet) {
  assert(room >= outer.size() && room <= buffer.size());
  const std::span<std::uint8_t> packet = buffer.subspan(room);
  if (!is_whole<kFamily>(packet, outer.largest_payload())) return fail(Drop::Malformed);
  return wrap_in_ipv4<kFamily>(outer, packet, per_packet);
}

/// pop() of any packet, and with the usual ones done sooner.
Parts parts_of_ipv4(std::span<std::uint8_t> packet, std::uint8_t protocol, Family family);

template <std::uint8_t kProtocol, Family kFamily>
[[gnu::always_inline]] inline Result<Popped, Drop> pop_ipv4(std::span<std::uint8_t> packet) {
  using Eligible = FastPathEligible<Family::Ipv4, kProtocol, wire::kIpv4Bytes>;
  Parts parts = refuse(Drop::Malformed);
  if (Eligible::is_outer(packet)) parts = Eligible::template parts<kFamily>(packet);
  if (parts.refused) parts = parts_of_ipv4(packet, kProtocol, kFamily);
  return popped(packet, parts);
}

}  // namespace overlane::encap
