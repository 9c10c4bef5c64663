#include "dataplane/encap/example/fou/push.h"

#include <cassert>

namespace overlane::fou {

Pusher::Pusher(const Tunnel& tunnel) : udp_(tunnel.rules, tunnel.source, tunnel.destination) {}

Result<std::span<std::uint8_t>, Drop> Pusher::push(std::span<std::uint8_t> buffer, std::size_t room,
                                                   std::uint16_t identification) const {
  assert(room >= headroom() && room <= buffer.size());
  const std::span<std::uint8_t> packet = buffer.subspan(room);
  const auto inner = encap::read_inner(packet, Family::Ipv4);
  const bool whole = inner && inner->length == packet.size();
  if (!whole || !udp_.fits(inner->length)) return fail(Drop::Malformed);
  udp_.write(packet, *inner, {.bytes = 0, .sum = 0}, identification);
  return buffer.subspan(room - headroom());
}

}  // namespace overlane::fou
