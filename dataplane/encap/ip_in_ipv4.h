#pragma once

#include <cassert>
#include <cstdint>
#include <span>

#include "dataplane/encap/outer_header.h"
#include "dataplane/encap/popped.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::encap {

/// What IPIP and SIT have in common: nothing but an IPv4 header in front of a packet of one family.
/// ipip/push.h and ipip/pop.h say what is refused.
inline Result<std::span<std::uint8_t>, Drop> push_ipv4(const OuterHeader& outer,
                                                       Encapsulation encapsulation, Family family,
                                                       std::span<std::uint8_t> buffer,
                                                       std::size_t room,
                                                       std::uint16_t identification) {
  assert(room >= kOuterIpv4Bytes && room <= buffer.size());
  const std::span<std::uint8_t> packet = buffer.subspan(room);
  const auto inner = read_inner(packet, family);
  const bool whole = inner && inner->length == packet.size();
  if (!whole || !outer.fits(inner->length)) return fail(Drop::Malformed);
  const std::span<std::uint8_t> wrapped = buffer.subspan(room - kOuterIpv4Bytes);
  outer.write(wrapped.data(), *inner,
              {.protocol = outer_protocol(encapsulation, family),
               .payload = inner->length,
               .identification = identification});
  return wrapped;
}

/// The rest of pop(), once the outer header is read.
inline Result<Popped, Drop> pop_ipv4(Encapsulation encapsulation, Family family,
                                     const OuterPacket& outer) {
  if (outer.protocol != outer_protocol(encapsulation, family)) {
    return fail(Drop::UnsupportedProtocol);
  }
  return take_inner(outer, outer.header_bytes, family);
}

}  // namespace overlane::encap
