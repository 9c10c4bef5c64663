#include "dataplane/encap/ipip/push.h"

#include "dataplane/encap/ip_in_ipv4.h"

namespace overlane::ipip {

Pusher::Pusher(const Tunnel& tunnel)
    : outer_(tunnel.rules.value_or(encap::outer_rules(Encapsulation::Ipip)), tunnel.source,
             tunnel.destination) {}

Result<std::span<std::uint8_t>, Drop> Pusher::push(std::span<std::uint8_t> buffer, std::size_t room,
                                                   std::uint16_t identification) const {
  return encap::push_ipv4(outer_, Encapsulation::Ipip, Family::Ipv4, buffer, room, identification);
}

}  // namespace overlane::ipip
