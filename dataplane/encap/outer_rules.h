#pragma once

#include <cassert>
#include <cstdint>
#include <optional>

#include "dataplane/encap/encapsulation.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/wire/tunnel_headers.h"

namespace overlane::encap {

// What Linux writes into the outer headers of a tunnel packet: TTL, DF, DSCP, ECN (RFC 6040),
// UDP checksum, source port and flow label. outer_rules() has the defaults of each device kind
// with the kernel function that each comes from; a device may change a copy. These are pure
// functions of rules and inner fields; outer_header.h and udp_tunnel.h apply them to bytes.

/// The ECN field: the lower two bits of the IPv4 TOS byte (RFC 3168).
enum class Ecn : std::uint8_t { NotEct = 0, Ect1 = 1, Ect0 = 2, Ce = 3 };

inline constexpr std::uint8_t kEcnMask = 3;

constexpr Ecn ecn_of(std::uint8_t tos) {
  return static_cast<Ecn>(tos & kEcnMask);
}
constexpr std::uint8_t with_ecn(std::uint8_t tos, Ecn ecn) {
  return static_cast<std::uint8_t>((tos & ~kEcnMask) | static_cast<std::uint8_t>(ecn));
}

/// The outer ECN field on encapsulation. RFC 6040 copies the inner field; Linux, which nodes run,
/// sends ECT(0) for an inner CE (INET_ECN_encapsulate, include/net/inet_ecn.h).
constexpr Ecn outer_ecn(Ecn inner) {
  return inner == Ecn::Ce ? Ecn::Ect0 : inner;
}

/// The inner ECN field after decapsulation (RFC 6040, figure 4). Empty if the packet must be
/// dropped: the outer header is CE and the inner packet is Not-ECT, so it cannot carry the mark.
constexpr std::optional<Ecn> inner_ecn(Ecn inner, Ecn outer) {
  if (outer == Ecn::Ce) {
    if (inner == Ecn::NotEct) return std::nullopt;
    return Ecn::Ce;
  }
  // Linux follows RFC 6040 for ECT(0) inside ECT(1) since 5.11 (b723748750ec).
  if (inner == Ecn::Ect0 && outer == Ecn::Ect1) return Ecn::Ect1;
  return inner;
}

/// Default of the sysctls net.ipv4.ip_default_ttl and net.ipv6.conf.*.hop_limit.
inline constexpr std::uint8_t kHopLimit = 64;

/// DF of an outer IPv4 header. IPv6 has none.
enum class DfRule : std::uint8_t {
  Unset,    ///< The outer packet may be fragmented.
  Set,      ///< `df set`, `pmtudisc`.
  Inherit,  ///< `df inherit`, `nopmtudisc`: the inner DF; set if the inner packet is IPv6.
};

/// The outer field that differs by inner flow, so that routers and NICs can hash on it.
enum class FlowField : std::uint8_t {
  None,       ///< All packets between two tunnel ends look like one flow.
  UdpSource,  ///< The UDP source port.
  FlowLabel,  ///< The IPv6 flow label.
};

/// The outer UDP checksum. None is for encapsulations without UDP, Zero sends 0.
enum class UdpChecksum : std::uint8_t { None, Zero, Computed };

/// The settings of a tunnel device that decide its outer headers, named after iproute2's options.
/// outer_rules() returns the defaults of a device.
struct OuterRules {
  bool inherits_ttl = false;     ///< `ttl inherit`; if false, `ttl` applies.
  std::uint8_t ttl = kHopLimit;  ///< Also the IPv6 hop limit.
  /// `tos inherit`: the inner DSCP; if false, that of `tos`. ECN always follows outer_ecn().
  bool inherits_dscp = false;
  std::uint8_t tos = 0;  ///< Also the IPv6 traffic class.
  DfRule df = DfRule::Unset;
  FlowField flow = FlowField::None;
  UdpChecksum udp_checksum = UdpChecksum::None;
  std::uint16_t destination_port = 0;
  /// The range of the UDP source port. Linux never uses its last port (udp_flow_src_port).
  std::uint16_t first_source_port = 0;
  std::uint16_t last_source_port = 0;

  bool has_flow_port() const { return flow == FlowField::UdpSource; }
  bool operator==(const OuterRules&) const = default;
};

/// Default of the sysctl net.ipv4.ip_local_port_range.
inline constexpr std::uint16_t kFirstLocalPort = 32768;
inline constexpr std::uint16_t kLastLocalPort = 60999;

/// The outer headers of a device with Linux's defaults. Requires runs_over().
///
/// IPIP and SIT are the fallback devices tunl0 and sit0: `ttl 0` (ip_tunnel_init_net,
/// net/ipv4/ip_tunnel.c) and `ttl 64` (ipip6_fb_tunnel_init, net/ipv6/sit.c), both nopmtudisc; the
/// inner DF is OR-ed into the outer one by ip_tunnel_xmit for IPv4 only, while ipip6_tunnel_xmit
/// leaves it out. ip6tnl: `hoplimit 64 tclass 0x00 flowlabel 0x00000` (iproute2, ip/link_ip6tnl.c),
/// where ip6_make_flowlabel replaces a label of 0 by the hash of the flow
/// (net.ipv6.auto_flowlabels).
///
/// VXLAN and Geneve have `ttl auto` (the route's hop limit), `df unset` and `tos 0`. VXLAN computes
/// the outer checksum over both families unless `noudpcsum` is set (vxlan_nl2conf,
/// drivers/net/vxlan/vxlan_core.c), as Cilium does; RFC 7348 recommends zero over IPv4. Geneve
/// computes it over IPv6 alone (geneve_nl2info, drivers/net/geneve.c). Geneve's source port is from
/// all ports (geneve_xmit_skb), VXLAN's from the local range (vxlan_xmit_one).
///
/// WireGuard (send4 and send6, drivers/net/wireguard/socket.c) has the route's hop limit, no DF, a
/// flow label of 0 and the checksum over both families. Its source port is its listening port, so
/// all its traffic between two nodes is one flow; the TOS is 0 except for ECN
/// (wg_packet_send_staged_packets).
constexpr OuterRules outer_rules(Encapsulation encapsulation, Family underlay = Family::Ipv4) {
  assert(runs_over(encapsulation, underlay));
  switch (encapsulation) {
    case Encapsulation::None:
      return {};
    case Encapsulation::Ipip:
      return {.inherits_ttl = true, .df = DfRule::Inherit};
    case Encapsulation::Sit:
      return {};
    case Encapsulation::Ip6Tnl:
      return {.flow = FlowField::FlowLabel};
    case Encapsulation::Vxlan:
      return {.flow = FlowField::UdpSource,
              .udp_checksum = UdpChecksum::Computed,
              .destination_port = wire::kVxlanPort,
              .first_source_port = kFirstLocalPort,
              .last_source_port = kLastLocalPort};
    case Encapsulation::Geneve:
      return {.flow = FlowField::UdpSource,
              .udp_checksum = underlay == Family::Ipv4 ? UdpChecksum::Zero : UdpChecksum::Computed,
              .destination_port = wire::kGenevePort,
              .first_source_port = 1,
              .last_source_port = 65535};
    case Encapsulation::Wireguard:
      return {.udp_checksum = UdpChecksum::Computed, .destination_port = wire::kWireguardPort};
  }
  return {};
}

/// The protocol number of the outer header (behind the options of ip6tnl) for an inner packet of
/// family `inner`. Requires carries().
constexpr std::uint8_t outer_protocol(Encapsulation encapsulation, Family inner) {
  assert(carries(encapsulation, inner));
  const EncapsulationFacts& row = facts(encapsulation);
  return inner == Family::Ipv4 ? row.protocol_of_ipv4 : row.protocol_of_ipv6;
}

/// The outer TOS or traffic class, TTL or hop limit, and DF, from the inner packet's field. DF of
/// an inner IPv6 packet counts as true.
constexpr std::uint8_t outer_tos(const OuterRules& rules, std::uint8_t inner_tos) {
  return with_ecn(rules.inherits_dscp ? inner_tos : rules.tos, outer_ecn(ecn_of(inner_tos)));
}
constexpr std::uint8_t outer_ttl(const OuterRules& rules, std::uint8_t inner_ttl) {
  return rules.inherits_ttl ? inner_ttl : rules.ttl;
}
constexpr bool outer_df(const OuterRules& rules, bool inner_df) {
  return rules.df == DfRule::Set || (rules.df == DfRule::Inherit && inner_df);
}

/// Offset of a flow's UDP source port from the first port of its range: the hash, folded and scaled
/// as udp_flow_src_port does (include/net/udp.h). The result is less than `ports`.
constexpr std::uint64_t flow_port_offset(std::uint64_t ports, std::uint32_t hash) {
  hash ^= hash << 16;
  return hash * ports >> 32;
}
/// The number of source ports in use: the range without its last port.
constexpr std::uint64_t source_ports(const OuterRules& rules) {
  return static_cast<std::uint64_t>(rules.last_source_port - rules.first_source_port);
}
constexpr std::uint16_t flow_source_port(const OuterRules& rules, std::uint32_t hash) {
  const std::uint64_t offset = flow_port_offset(source_ports(rules), hash);
  return static_cast<std::uint16_t>(rules.first_source_port + offset);
}
constexpr std::uint16_t flow_source_port(const OuterRules& rules, const FlowKey& inner) {
  return flow_source_port(rules, flow_hash(inner));
}

/// The IPv6 flow label of a flow with this hash (ip6_make_flowlabel, include/net/ipv6.h).
constexpr std::uint32_t flow_label(std::uint32_t hash) {
  return (hash << 16 | hash >> 16) & 0xfffff;
}

}  // namespace overlane::encap
