#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "topologies/overlap/inventory/inventory.h"

// Which shoots share a network, and which share a route table. Two shoots affect each other only if
// their nodes are in one network, or in networks that a declared connection joins (a peering, a
// transit gateway, a VPN). AWS and Alibaba Cloud name networks by globally unique ids; GCP, Azure
// and OpenStack by names that are unique per project, subscription or tenant, of which manifests
// show only the name of the credentials. So each question has two answers: surely one network
// (`network`) and possibly one (`domain`), surely one route table and possibly one. `locate`
// numbers all of them; equal numbers mean the same network or table. `RoutingScopes` holds indices
// into the inventory, which must not change afterwards.
namespace overlane::overlap {

/// The network and route table of a shoot's nodes. Equal numbers mean the same network or table.
struct RoutingScope {
  std::uint32_t domain = 0;          ///< Index of RoutingScopes::domains: equal for networks with
                                     ///< one name.
  std::uint32_t network = 0;         ///< Equal for nodes that are surely in one network.
  std::uint32_t possible_table = 0;  ///< Equal for nodes that possibly share a route table.
  std::uint32_t route_table = 0;     ///< Equal for nodes that surely share a route table.
  /// Whether the network's project is known, or its id is unique. Two such networks with different
  /// numbers are different networks.
  bool project_known = false;
};

/// Shoots whose networks have one name: they surely or possibly share routes.
struct Domain {
  std::string key;                      ///< "aws/vpc-1".
  bool is_one = true;                   ///< Whether all shoots are surely in one network.
  std::vector<std::uint32_t> shoots;    ///< Indices of Inventory::shoots, ascending.
  std::vector<std::uint32_t> declared;  ///< Indices of Declarations::networks.
};

/// The networks that a declared connection joins.
struct JoinedNetworks {
  std::vector<std::uint32_t> shoots;    ///< Indices of Inventory::shoots, ascending.
  std::vector<std::uint32_t> declared;  ///< Indices of Declarations::networks.
  /// Domains in which the connection joins one network that the declaration does not identify.
  std::vector<std::uint32_t> unclear;
};

struct RoutingScopes {
  std::vector<RoutingScope> shoots;         ///< By Inventory::shoots.
  std::vector<RoutingScope> networks;       ///< By Declarations::networks.
  std::vector<Domain> domains;              ///< Ordered by their keys.
  std::vector<JoinedNetworks> connections;  ///< By Declarations::connections.
  Findings findings;                        ///< Declared shoots that are not among the manifests.
};

/// Determines which shoots share networks and route tables. Networks with globally unique ids are
/// the same wherever they are named. Networks with names are the same if project, subscription or
/// credentials are equal, and possibly the same otherwise. Existing subnets share a route table if
/// an id is equal or a declared table contains both, and possibly if they are not declared.
RoutingScopes locate(const Inventory& inventory);

/// For domains that are possibly several networks of one name: the information that would decide.
/// By Domain::key.
std::map<std::string, std::string> uncertainties(const Inventory& inventory,
                                                 const RoutingScopes& routing_scopes);

}  // namespace overlane::overlap
