#pragma once

#include "dataplane/encap/example/fou/fou.h"
#include "dataplane/encap/udp_tunnel.h"

namespace overlane::fou {

/// Wraps IPv4 packets for one tunnel.
class Pusher : public encap::UdpPusher<0> {
 public:
  explicit Pusher(const Tunnel& tunnel)
      : UdpPusher(tunnel.rules, tunnel.source, tunnel.destination, {{Family::Ipv4, {}}}) {}
};

}  // namespace overlane::fou
