#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topologies/overlap/inventory/inventory.h"

namespace overlane::overlap {

/// Where a shoot's nodes and routes are; equal numbers are the same thing.
struct RoutingScope {
  std::uint32_t domain = 0;   ///< Possibly one network: RoutingScopes::domains.
  std::uint32_t network = 0;  ///< Surely one network.
  std::uint32_t tables = 0;   ///< Possibly one list of routes.
  std::uint32_t list = 0;     ///< Surely one list of routes.
  /// Whose network it is, which all in one network agree on: of two that know it, networks that
  /// have two numbers are two.
  bool project_known = false;
};

/// Shoots whose networks have one name: they share routes, or may do so.
struct Domain {
  std::string key;                      ///< "aws/vpc-1".
  bool is_one = true;                   ///< All its members are surely in one network.
  std::vector<std::uint32_t> shoots;    ///< Indices into Inventory::shoots, rising.
  std::vector<std::uint32_t> declared;  ///< Indices into Declarations::networks.
};

/// The networks that a declared connection joins.
struct Joined {
  std::vector<std::uint32_t> shoots;    ///< As in Domain.
  std::vector<std::uint32_t> declared;  ///< The same.
  /// Numbers of domains that are possibly several networks, of which it joins one, and nobody says
  /// which.
  std::vector<std::uint32_t> unclear;
};

struct RoutingScopes {
  std::vector<RoutingScope> shoots;    ///< Of Inventory::shoots.
  std::vector<RoutingScope> networks;  ///< Of Declarations::networks.
  std::vector<Domain> domains;         ///< Ordered by their keys.
  std::vector<Joined> connections;     ///< Of Declarations::connections.
  Findings findings;                   ///< Declared shoots and networks that nobody is in.
};

/// Says who shares what. Networks with globally unique ids are one network wherever they are named;
/// those with names are if project, subscription or credentials are the same too, and possibly so
/// otherwise. Existing subnets share a route table if an id is the same or a declared table says
/// so, and possibly so if no declaration names them.
RoutingScopes locate(const Inventory& inventory);

}  // namespace overlane::overlap
