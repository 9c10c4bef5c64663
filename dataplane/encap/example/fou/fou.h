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

/// What Linux writes for `ip link add type ipip … encap fou encap-sport auto encap-dport 5555`
/// (fou_build_header and __fou_build_header, net/ipv4/fou_core.c): IPIP's rules, a source port from
/// the flow's hash in the local range, and no UDP checksum unless `encap-csum`.
inline constexpr encap::OuterRules kRules{.inherits_ttl = true,
                                          .df = encap::DfRule::Inherit,
                                          .flow = encap::FlowField::UdpSource,
                                          .udp_checksum = encap::UdpChecksum::Zero,
                                          .destination_port = 5555,
                                          .first_source_port = encap::kFirstLocalPort,
                                          .last_source_port = encap::kLastLocalPort};

/// An IPv4 packet behind nothing but UDP, over IPv4. There is no row for it in kEncapsulations: it
/// is the worked example of docs/how-to/add-an-encapsulation.md.
struct Tunnel {
  Ipv4Address source;
  Ipv4Address destination;
  encap::OuterRules rules = kRules;
};

/// Takes an outer packet apart in place. Refused are what encap::read_outer_ipv4(),
/// encap::read_udp() and encap::take_inner() refuse. The port is the caller's business
/// (fou_udp_recv, net/ipv4/fou_core.c).
Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet);

/// Wraps IPv4 packets for one tunnel.
class Pusher : public encap::UdpPusher<0> {
 public:
  explicit Pusher(const Tunnel& tunnel)
      : UdpPusher(tunnel.rules, tunnel.source, tunnel.destination, {{Family::Ipv4, {}}}) {}
};

}  // namespace overlane::fou
