#pragma once

#include <cstdint>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/flow_hash.h"

namespace overlane::encap {

/// The UDP source port for a flow of that hash: folded and scaled into the range as
/// udp_flow_src_port does it (include/net/udp.h), which never reaches the last port. This many come
/// before it:
constexpr std::uint64_t flow_port_offset(std::uint64_t ports, std::uint32_t hash) {
  hash ^= hash << 16;
  return hash * ports >> 32;
}
/// The number of ports in the range.
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

/// The IPv6 flow label for a flow of that hash (ip6_make_flowlabel, include/net/ipv6.h).
constexpr std::uint32_t flow_label(std::uint32_t hash) {
  return (hash << 16 | hash >> 16) & 0xfffff;
}

}  // namespace overlane::encap
