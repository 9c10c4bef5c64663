#include "dataplane/encap/vxlan/push.h"

#include <algorithm>
#include <cassert>

#include "dataplane/encap/inner_ethernet.h"
#include "dataplane/wire/vxlan.h"

namespace overlane::vxlan {

Pusher::Pusher(const Tunnel& tunnel)
    : udp_(tunnel.rules.value_or(encap::outer_rules(Encapsulation::Vxlan, tunnel.source.family())),
           tunnel.source, tunnel.destination) {
  wire::write(wire::VxlanHeader{.vni = tunnel.vni}, fixed_);
  std::ranges::copy(tunnel.inner_destination.bytes, fixed_.begin() + kHeaderBytes);
  std::ranges::copy(tunnel.inner_source.bytes, fixed_.begin() + kHeaderBytes + 6);
  fixed_sum_ = ones_complement_sum(fixed_);
}

Result<std::span<std::uint8_t>, Drop> Pusher::push(std::span<std::uint8_t> buffer, std::size_t room,
                                                   std::uint16_t identification) const {
  assert(room >= headroom() && room <= buffer.size());
  constexpr std::uint32_t kMiddleBytes = kHeaderBytes + kEthernetBytes;
  const std::span<std::uint8_t> packet = buffer.subspan(room);
  const auto inner = encap::read_inner(packet);
  const bool whole = inner && inner->length == packet.size();
  if (!whole || !udp_.fits(kMiddleBytes + inner->length)) return fail(Drop::Malformed);
  const std::uint16_t type = encap::ether_type_of(inner->family);
  std::uint8_t* middle = packet.data() - kMiddleBytes;
  std::memcpy(middle, fixed_.data(), kFixedBytes);
  store_be16(middle + kFixedBytes, type);
  udp_.write(packet, *inner, {.bytes = kMiddleBytes, .sum = fixed_sum_ + type}, identification);
  return buffer.subspan(room - headroom());
}

}  // namespace overlane::vxlan
