#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataplane/node/state/fabric_state.h"
#include "topologies/compile/compile.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/witness/witness.h"

// Joins the states of two shoots, and a third host if there is one, into the states of one network:
// instances, subnets, route tables and firewalls are renumbered and appended. Routes are written
// last, by the provider's rules for shared route tables: which controller keeps a destination,
// which routes are deleted, and which routes the cloud refuses.
namespace overlane::witness {

/// A member of a network: a shoot, or a single host.
struct NetworkMember {
  std::string name;
  const effective::EffectiveDataplane* shoot = nullptr;  ///< Null for a host.
  compile::Compiled states;
};

/// A third host in the network of two shoots.
struct Bystander {
  std::uint32_t node = 0;  ///< Index of its node.
  std::string assumption;  ///< Assumption for reaching pods; may be empty.
};

/// The joined states of two shoots. The nodes of `near` come first.
struct JoinedStates {
  compile::Compiled states;
  std::uint32_t far_begins = 0;    ///< Number of the first node of `far`.
  std::uint32_t far_ends = 0;      ///< Number after the last node of `far`.
  bool pods_reach_others = false;  ///< Routes to the other shoot's pods were added.
  std::optional<Bystander> bystander;
  std::vector<std::string> assumptions;
};

/// Joins both into one network, or into two connected ones, with the routes that the provider's
/// route controllers leave if the controller of `far` wrote last (RouteWriter). If both are routed
/// with separate tables, each table also gets the other shoot's routes, except to addresses of the
/// shoot itself, so that pods of both can communicate. The bystander is a host of a network with
/// one route table.
JoinedStates join(NetworkMember near, NetworkMember far, std::optional<NetworkMember> bystander,
                  const OverlapCase& overlap);

/// The states of a single host with `address` in `subnet`.
compile::Compiled host(const std::string& name, IpAddress address, const IpPrefix& subnet);
/// A host in a subnet of neither shoot; nullopt unless pods of both share a route table.
std::optional<NetworkMember> bystander(const OverlapCase& overlap);

}  // namespace overlane::witness
