#include "dataplane/encap/example/fou/pop.h"

#include "dataplane/encap/udp_tunnel.h"

namespace overlane::fou {

Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  const auto outer = encap::read_outer_ipv4(packet);
  if (!outer) return fail(outer.error());
  const auto datagram = encap::read_udp(*outer, false);
  if (!datagram) return fail(datagram.error());
  return encap::take_inner(*datagram, datagram->header_bytes + encap::kUdpBytes, Family::Ipv4);
}

}  // namespace overlane::fou
