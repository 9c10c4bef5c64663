#pragma once

#include "dataplane/encap/udp_tunnel.h"
#include "dataplane/encap/vxlan/vxlan.h"

namespace overlane::vxlan {

/// Wraps IPv4 and IPv6 packets for one tunnel.
class Pusher : public encap::UdpPusher<kHeaderBytes + kEthernetBytes> {
 public:
  explicit Pusher(const Tunnel& tunnel);
};

}  // namespace overlane::vxlan
