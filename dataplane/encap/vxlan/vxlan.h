#pragma once

#include <cstdint>
#include <optional>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/address.h"

namespace overlane::vxlan {

/// VXLAN header and inner Ethernet header (RFC 7348, section 5).
inline constexpr std::uint32_t kHeaderBytes = 8;
inline constexpr std::uint32_t kEthernetBytes = 14;

/// A VXLAN tunnel to one peer, as Linux' `vxlan` devices make it (drivers/net/vxlan/vxlan_core.c):
/// the FDB entry behind one next hop.
struct Tunnel {
  IpAddress source;
  IpAddress destination;  ///< Of the same family.
  std::uint32_t vni = 0;  ///< 24 bits.
  MacAddress inner_source;
  MacAddress inner_destination;
  std::optional<encap::OuterRules> rules;  ///< The device's; else encap::outer_rules().
};

}  // namespace overlane::vxlan
