#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/finding/finding.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/syntax/parse.h"

// What manifests do not show about networks: which credentials belong to one project, which ranges
// and routes a network has besides the shoots', and which networks a peering, transit gateway or
// VPN joins. Operators write it in files of kind RoutingDomains. These types are the content of one
// file, or of several after merge().
namespace overlane::domains {

/// The `kind` of files that declare which networks shoots share, as far as manifests do not show
/// it.
inline constexpr std::string_view kKind = "RoutingDomains";

/// A network by its name in manifests, or by one of its shoots: then only `shoot` and `place` are
/// set.
struct NetworkRef {
  std::string provider;        ///< A provider's name: "aws". Never empty without `shoot`.
  std::string network;         ///< VPC id (aws, alicloud), network name (gcp), vnet name (azure),
                               ///< router id (openstack).
  std::string resource_group;  ///< azure: the vnet's.
  std::string project;         ///< Its declared project; empty: not declared.
  std::string shoot;           ///< "namespace/name".
  SourceLocation place;
};

/// Whether both name the same network; a project in only one of them is a difference.
bool same_network(const NetworkRef& a, const NetworkRef& b);
/// "aws vpc-1", "azure acme-net/vnet-1", "gcp shared-vpc in acme-prod", "the network of a/b".
std::string to_string(const NetworkRef& ref);

struct DeclaredRange {
  IpPrefix cidr;
  std::string purpose;  ///< May be empty.
  SourceLocation place;
};

/// An account, project or subscription, and its credentials bindings.
struct Project {
  std::string name;
  std::string provider;
  std::vector<std::string> credentials;  ///< "namespace/name"; sorted.
  SourceLocation place;
};

/// A route table that serves the nodes of several subnets.
struct DeclaredRouteTable {
  std::string name;
  std::vector<std::string> subnets;  ///< Ids as `zones[].workersSubnetID` gives them; sorted.
  SourceLocation place;
};

/// The content of a network other than its shoots.
struct DeclaredNetwork {
  NetworkRef ref;
  std::vector<DeclaredRange> ranges;  ///< Its real CIDRs: primary, secondary, subnets of others.
  std::optional<std::int64_t> route_quota;  ///< Per route table.
  std::int64_t other_routes = 0;            ///< Per route table, not to nodes of shoots.
  bool says_other_routes = false;           ///< Whether a file declares them, even 0.
  /// Routes with known destinations, per route table; in addition to `other_routes`.
  std::vector<DeclaredRange> foreign_routes;
  std::vector<DeclaredRouteTable> route_tables;
  SourceLocation place;
};

enum class ConnectionKind { Peering, TransitGateway, Interconnect, Vpn };

/// "peering", "transit-gateway", "interconnect" or "vpn", as files spell it.
std::string_view to_string(ConnectionKind kind);

/// A connection between networks, or with a place outside the cloud.
struct Connection {
  std::string name;
  ConnectionKind kind = ConnectionKind::Peering;
  bool carries_pod_routes = false;  ///< It announces routes to pods.
  std::vector<NetworkRef> networks;
  std::vector<DeclaredRange> ranges;  ///< Reached over it: on-premises.
  SourceLocation place;
};

/// The declarations of one or more files, without duplicates.
struct Declarations {
  std::vector<Project> projects;
  std::vector<DeclaredNetwork> networks;
  std::vector<Connection> connections;
  std::vector<DeclaredRange> reserved;  ///< By the landscape, in every network.

  bool empty() const;
};

/// Names of projects by their credentials.
std::map<std::string, std::string> projects_by_credentials(const Declarations& declarations);

// Decodes documents of kind RoutingDomains strictly: an unknown key, a missing key or an invalid
// value is an error with its place. Whether several files agree is checked by merge.h.

/// The declarations of one document.
struct DeclarationFile {
  ObjectName object;
  std::string path;  ///< The path of the document's root: "" or, in a list, "items[3]".
  Declarations declared;
};

/// Decodes a document of kind RoutingDomains strictly. merge() checks it against others.
Result<DeclarationFile, Findings> decode(const document::Tree& tree);
/// Decodes the fields of such a document; findings go to the fields' Problems.
Declarations decode(document::Fields& root);

/// Whether the document is of kind RoutingDomains.
bool declares_domains(const document::Tree& tree);
/// Moves the documents of kind RoutingDomains from the stream to `taken`. An invalid one is a
/// finding of the stream and declares nothing.
void take_declarations(document::Stream& stream, std::vector<DeclarationFile>& taken);

/// Decodes a file of RoutingDomains documents: a document with a different kind is an error.
Result<std::vector<DeclarationFile>, Findings> decode_all(const document::Stream& stream);

}  // namespace overlane::domains
