#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/encap/popped.h"
#include "dataplane/encap/udp_tunnel.h"
#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "results/finding/finding.h"

namespace overlane::fou {

// FOU (foo over UDP), an IPv4 packet directly behind UDP over IPv4: the worked example of
// docs/how-to/add-an-encapsulation.md. It has no row in kEncapsulations.

/// Outer headers of `ip link add type ipip … encap fou encap-sport auto encap-dport 5555`
/// (fou_build_header and __fou_build_header, net/ipv4/fou_core.c): the rules of IPIP, a source port
/// from the flow's hash in the local range, and no UDP checksum unless `encap-csum` is set.
inline constexpr encap::OuterRules kRules{.inherits_ttl = true,
                                          .df = encap::DfRule::Inherit,
                                          .flow = encap::FlowField::UdpSource,
                                          .udp_checksum = encap::UdpChecksum::Zero,
                                          .destination_port = 5555,
                                          .first_source_port = encap::kFirstLocalPort,
                                          .last_source_port = encap::kLastLocalPort};

/// A FOU tunnel to one peer.
struct Tunnel {
  Ipv4Address source;
  Ipv4Address destination;
  encap::OuterRules rules = kRules;
};

/// Decapsulates an outer packet in place. Refuses all packets that encap::read_outer_ipv4(),
/// encap::read_udp() and encap::take_inner() refuse. The caller checks the port (fou_udp_recv,
/// net/ipv4/fou_core.c).
Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet);

/// Encapsulates IPv4 packets for one tunnel.
class Pusher : public encap::UdpPusher<0> {
 public:
  explicit Pusher(const Tunnel& tunnel)
      : UdpPusher(tunnel.rules, tunnel.source, tunnel.destination, {{Family::Ipv4, {}}}) {}
};

}  // namespace overlane::fou
