#pragma once

#include <optional>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/address.h"

namespace overlane::sit {

/// An IPv6-in-IPv4 tunnel (RFC 4213, section 3), as Linux' `sit` devices make it (net/ipv6/sit.c).
struct Tunnel {
  Ipv4Address source;
  Ipv4Address destination;
  std::optional<encap::OuterRules> rules;  ///< The device's; else encap::outer_rules().
};

}  // namespace overlane::sit
