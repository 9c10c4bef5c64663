#include "dataplane/encap/example/fou/fou.h"

#include "dataplane/encap/popped.h"
#include "dataplane/wire/transport.h"

namespace overlane::fou {

Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
  const auto outer = encap::read_outer_ipv4(packet);
  if (!outer) return fail(outer.error());
  const auto datagram = encap::read_udp(*outer, false);
  if (!datagram) return fail(datagram.error());
  const std::size_t offset = datagram->header_bytes + wire::kUdpBytes;
  return encap::popped(packet, encap::take_inner(*datagram, offset, Family::Ipv4));
}

}  // namespace overlane::fou
