#pragma once

#include <optional>
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

/// A host beside two shoots.
struct Bystander {
  std::uint32_t node = 0;  ///< Its number.
  std::string assumption;  ///< What it needs to reach pods; may be empty.
};

/// Two shoots' states as one. The nodes of `near` come first.
struct Joined {
  compile::Compiled states;
  std::uint32_t far_begins = 0;    ///< The number of the first node of `far` …
  std::uint32_t far_ends = 0;      ///< … and of the one behind its last.
  bool pods_reach_others = false;  ///< Routes to the other's pods were added.
  std::optional<Bystander> bystander;
  std::vector<std::string> assumptions;
};

/// Puts both into one network, or into two that a connection joins, with the routes as the
/// provider's route controllers leave them when that of `far` wrote last (RouteWriter). Where pods
/// of one may talk to pods of the other, which is so when both are routed and have tables of their
/// own, their routes stand in each other's tables where the shoot has no such addresses itself.
/// The bystander is a host of the network, whose list of routes is one.
Joined join(Joining near, Joining far, std::optional<Joining> bystander, const Case& overlap);

/// A machine of no shoot, alone in a subnet of that range.
compile::Compiled host(const std::string& name, IpAddress address, const IpPrefix& subnet);
/// One in a subnet that neither shoot has, where pods of both stand in one list of routes.
std::optional<Joining> bystander(const Case& overlap);

}  // namespace overlane::witness
