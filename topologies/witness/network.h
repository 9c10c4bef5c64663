#pragma once

#include <string>
#include <vector>

#include "topologies/compile/compile.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/witness/witness.h"

namespace overlane::witness {

/// What joins a network: a shoot, or a host of nobody's.
struct Joining {
  std::string name;
  const effective::EffectiveDataplane* shoot = nullptr;  ///< Null: a host.
  compile::Compiled states;
};

/// Two shoots' states as one. The nodes of `near` come first.
struct Joined {
  compile::Compiled states;
  std::uint32_t far_begins = 0;    ///< The number of the first node of `far`.
  bool pods_reach_others = false;  ///< Routes to the other's pods were added.
  std::vector<std::string> assumptions;
};

/// Puts both into one network, or into two that a connection joins, with the routes as the
/// provider's route controllers leave them when that of `far` wrote last (RouteWriter). Where pods
/// of one may talk to pods of the other, which is so when both are routed and have tables of their
/// own, their routes stand in each other's tables where the shoot has no such addresses itself.
Joined join(Joining near, Joining far, const Case& overlap);

/// A machine of no shoot, alone in a subnet of that range.
compile::Compiled host(const std::string& name, IpAddress address, const IpPrefix& subnet);

}  // namespace overlane::witness
