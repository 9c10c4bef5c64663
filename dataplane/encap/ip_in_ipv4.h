#pragma once

#include <cassert>
#include <cstdint>
#include <span>

#include "dataplane/encap/outer_header.h"
#include "dataplane/encap/popped.h"
#include "dataplane/encap/usual_packet.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::encap {

/// What IPIP and SIT have in common: nothing but an IPv4 header in front of a packet of one family.
/// ipip/push.h and ipip/pop.h say what is refused.
template <Family kFamily>
[[gnu::always_inline]] inline Result<std::span<std::uint8_t>, Drop> push_ipv4(
    const OuterIpv4& outer, std::span<std::uint8_t> buffer, std::size_t room,
    const PerPacket& per_packet) {
  assert(room >= outer.size() && room <= buffer.size());
  const std::span<std::uint8_t> packet = buffer.subspan(room);
  InnerPacket inner;
  const bool whole = read_whole<kFamily>(packet, inner);
  if (!whole || packet.size() > outer.largest_payload()) return fail(Drop::Malformed);
  const std::span<std::uint8_t> wrapped = buffer.subspan(room - outer.size());
  outer.write(wrapped.data(), inner.length, inner, per_packet);
  return wrapped;
}

/// pop() of any packet, and with the usual ones done sooner.
Parts parts_of_ipv4(std::span<std::uint8_t> packet, std::uint8_t protocol, Family family);

template <std::uint8_t kProtocol, Family kFamily>
[[gnu::always_inline]] inline Result<Popped, Drop> pop_ipv4(std::span<std::uint8_t> packet) {
  Parts parts = usual_parts<Family::Ipv4, kFamily, kProtocol, wire::kIpv4Bytes>(packet);
  if (parts.refused) parts = parts_of_ipv4(packet, kProtocol, kFamily);
  return popped(packet, parts);
}

}  // namespace overlane::encap
