#include "dataplane/encap/ipip/push.h"

namespace overlane::ipip {

Pusher::Pusher(const Tunnel& tunnel)
    : outer_(tunnel.rules.value_or(encap::outer_rules(Encapsulation::Ipip)), tunnel.source,
             tunnel.destination) {}

}  // namespace overlane::ipip
