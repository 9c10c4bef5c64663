#pragma once

#include "dataplane/encap/geneve/geneve.h"
#include "dataplane/encap/udp_tunnel.h"

namespace overlane::geneve {

/// Wraps IPv4 and IPv6 packets for one tunnel.
class Pusher
    : public encap::UdpPusher<kHeaderBytes, kHeaderBytes + kMaxOptionBytes + kEthernetBytes> {
 public:
  /// Copies the options.
  explicit Pusher(const Tunnel& tunnel);
};

}  // namespace overlane::geneve
