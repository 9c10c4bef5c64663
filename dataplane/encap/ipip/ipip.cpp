#include "dataplane/encap/ipip/ipip.h"

#include "dataplane/wire/ip_packet.h"

namespace overlane::ipip {

Pusher::Pusher(const Tunnel& tunnel)
    : outer_(tunnel.rules.value_or(encap::outer_rules(Encapsulation::Ipip)), tunnel.source,
             tunnel.destination, wire::kIpv4InIp) {}

}  // namespace overlane::ipip
