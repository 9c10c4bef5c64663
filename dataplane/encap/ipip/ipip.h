#pragma once

#include <optional>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/address.h"

namespace overlane::ipip {

/// An IPv4-in-IPv4 tunnel (RFC 2003), as Linux' `ipip` devices make it (net/ipv4/ipip.c). Its far
/// end is the next hop of the route on tunl0, so a node has one Tunnel per peer.
struct Tunnel {
  Ipv4Address source;
  Ipv4Address destination;
  std::optional<encap::OuterRules> rules;  ///< The device's; else encap::outer_rules().
};

}  // namespace overlane::ipip
