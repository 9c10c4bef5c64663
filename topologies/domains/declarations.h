#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/finding/place.h"

namespace overlane::domains {

/// The `kind` of the files that say what manifests cannot show about who shares routes with whom.
inline constexpr std::string_view kKind = "RoutingDomains";

/// A network as manifests name it, or the one that a shoot is in: then only `shoot` and `place` are
/// set.
struct NetworkRef {
  std::string provider;        ///< A provider's name: "aws". Never empty without `shoot`.
  std::string network;         ///< VPC id (aws, alicloud), network name (gcp), vnet name (azure),
                               ///< router id (openstack).
  std::string resource_group;  ///< azure: the vnet's.
  std::string project;         ///< The declared project that it is in; empty: not said.
  std::string shoot;           ///< "namespace/name".
  SourceLocation place;
};

/// Whether both name the same thing; a project that only one of them says counts as another one.
bool same_network(const NetworkRef& a, const NetworkRef& b);
/// "aws vpc-1", "azure acme-net/vnet-1", "gcp shared-vpc in acme-prod", "the network of a/b".
std::string to_string(const NetworkRef& ref);

struct DeclaredRange {
  IpPrefix cidr;
  std::string purpose;  ///< May be empty.
  SourceLocation place;
};

/// An account, project or subscription, and the credentials bindings that lead into it.
struct Project {
  std::string name;
  std::string provider;
  std::vector<std::string> credentials;  ///< "namespace/name"; sorted.
  SourceLocation place;
};

/// A route table that serves the nodes of several subnets.
struct RouteTable {
  std::string name;
  std::vector<std::string> subnets;  ///< Ids as `zones[].workersSubnetID` gives them; sorted.
  SourceLocation place;
};

/// What there is in a network beside the shoots.
struct Network {
  NetworkRef ref;
  std::vector<DeclaredRange> ranges;  ///< Its real CIDRs: primary, secondary, subnets of others.
  std::optional<std::int64_t> route_quota;  ///< Routes that one table may hold.
  std::int64_t other_routes = 0;            ///< In each table, of no shoot's nodes.
  bool says_other_routes = false;           ///< Whether a file gives them, be it 0.
  std::vector<RouteTable> route_tables;
  SourceLocation place;
};

enum class ConnectionKind { Peering, TransitGateway, Interconnect, Vpn };

/// "peering", "transit-gateway", "interconnect" or "vpn", as files spell it.
std::string_view to_string(ConnectionKind kind);

/// What joins networks with each other, or with a place that is no cloud network.
struct Connection {
  std::string name;
  ConnectionKind kind = ConnectionKind::Peering;
  bool carries_pod_routes = false;  ///< Routes to pods are announced over it.
  std::vector<NetworkRef> networks;
  std::vector<DeclaredRange> ranges;  ///< Reached over it: on-premises.
  SourceLocation place;
};

/// What one or more files declare. No project, network or connection stands in it twice.
struct Declarations {
  std::vector<Project> projects;
  std::vector<Network> networks;
  std::vector<Connection> connections;
  std::vector<DeclaredRange> reserved;  ///< By the landscape, in every network.

  bool empty() const;
};

/// The names of the projects by the credentials that lead into them.
std::map<std::string, std::string> projects_by_credentials(const Declarations& declarations);

}  // namespace overlane::domains
