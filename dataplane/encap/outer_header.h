#pragma once

#include <array>
#include <cstdint>

#include "dataplane/encap/ecn.h"
#include "dataplane/encap/encapsulation.h"
#include "dataplane/net/flow_hash.h"

namespace overlane::encap {

/// What Linux writes into the outer IPv4 header. DSCP is never inherited: both devices have
/// `tos 0`, which leaves only the ECN bits to copy.
struct OuterRules {
  Encapsulation encapsulation;
  std::uint8_t protocol;  ///< Of the outer header.
  bool inherits_ttl;      ///< Else kHopLimit.
  bool inherits_df;       ///< Else DF is unset and the outer packet may be fragmented.
  bool has_flow_port;     ///< Whether the UDP source port tells inner flows apart.
};

inline constexpr std::array kOuterRules = {
    OuterRules{Encapsulation::None, 0, false, false, false},
    // tunl0, the fallback device, has `ttl 0 tos 0 nopmtudisc`: TTL is inherited, and the inner DF
    // is OR-ed into the outer one (net/ipv4/ip_tunnel.c).
    OuterRules{Encapsulation::Ipip, 4, true, true, false},
    // ip_default_ttl; VXLAN_DF_UNSET (drivers/net/vxlan).
    OuterRules{Encapsulation::Vxlan, 17, false, false, true},
};

constexpr const OuterRules& outer_rules(Encapsulation encapsulation) {
  return kOuterRules[static_cast<std::size_t>(encapsulation)];
}

/// net.ipv4.ip_default_ttl.
inline constexpr std::uint8_t kHopLimit = 64;

/// net.ipv4.ip_local_port_range, from which VXLAN takes its source ports.
inline constexpr std::uint16_t kFirstFlowPort = 32768;
inline constexpr std::uint16_t kLastFlowPort = 60999;

/// VXLAN's UDP source port for an inner flow: its hash, folded and scaled into the port range as
/// udp_flow_src_port does it (include/net/udp.h), which never reaches the last port.
constexpr std::uint16_t flow_source_port(const FlowKey& inner) {
  std::uint32_t hash = flow_hash(inner);
  hash ^= hash << 16;
  constexpr std::uint64_t kPorts = kLastFlowPort - kFirstFlowPort;
  return static_cast<std::uint16_t>((hash * kPorts >> 32) + kFirstFlowPort);
}

}  // namespace overlane::encap
