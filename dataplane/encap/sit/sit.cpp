#include "dataplane/encap/sit/sit.h"

#include "dataplane/wire/ip_packet.h"

namespace overlane::sit {

Pusher::Pusher(const Tunnel& tunnel)
    : outer_(tunnel.rules.value_or(encap::outer_rules(Encapsulation::Sit)), tunnel.source,
             tunnel.destination, wire::kIpv6InIp) {}

}  // namespace overlane::sit
