#pragma once

#include <cstdint>
#include <optional>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/address.h"

namespace overlane::ip6tnl {

/// IPV6_DEFAULT_TNL_ENCAP_LIMIT (include/uapi/linux/ip6_tunnel.h).
inline constexpr std::uint8_t kDefaultLimit = 4;

/// The destination options header that carries the limit (RFC 2473, section 4.1.1).
inline constexpr std::uint32_t kLimitBytes = 8;

/// An IPv4- or IPv6-in-IPv6 tunnel (RFC 2473), as Linux' `ip6tnl` devices in mode `any` make it
/// (net/ipv6/ip6_tunnel.c).
struct Tunnel {
  IpAddress source;       ///< IPv6.
  IpAddress destination;  ///< IPv6.
  /// How many tunnels the packet may still enter: `encaplimit`; nothing for `encaplimit none`.
  std::optional<std::uint8_t> limit = kDefaultLimit;
  std::optional<encap::OuterRules> rules;  ///< The device's; else encap::outer_rules().
};

}  // namespace overlane::ip6tnl
