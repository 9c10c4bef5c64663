#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/address.h"

namespace overlane::geneve {

/// The fixed part of the header, and the most that options can take (RFC 8926, section 3.4).
inline constexpr std::uint32_t kHeaderBytes = 8;
inline constexpr std::uint32_t kMaxOptionBytes = 252;
inline constexpr std::uint32_t kEthernetBytes = 14;

/// A Geneve tunnel to one peer, as Linux' `geneve` devices make it (drivers/net/geneve.c).
struct Tunnel {
  IpAddress source;
  IpAddress destination;  ///< Of the same family.
  std::uint32_t vni = 0;  ///< 24 bits.
  MacAddress inner_source;
  MacAddress inner_destination;
  /// Sent as given: a multiple of 4 and at most kMaxOptionBytes. The header's C bit follows from
  /// them: Linux leaves it to whoever sets options (validate_geneve_opts, openvswitch).
  std::span<const std::uint8_t> options;
  bool inner_proto_inherit = false;        ///< The IP packet stands behind Geneve, no Ethernet.
  std::optional<encap::OuterRules> rules;  ///< The device's; else encap::outer_rules().
};

}  // namespace overlane::geneve
