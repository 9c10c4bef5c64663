#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/finding/finding.h"
#include "topologies/derive/derive.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/manifest/spec/pod_network_spec.h"

// A shoot as `overlane overlap` compares it: its address ranges, the network of its nodes, the
// route table for its pods' routes, and its number of nodes. A `Shoot` is a summary of a manifest
// (`manifest::PodNetworkSpec`): it is small, because a landscape has up to 100,000 of them, and it
// exists also for shoots that Gardener's admission refuses. `Role` says what a range is used for,
// `DataplaneMode` where routes to its pods are: both together decide what an overlap of two ranges
// breaks (pairs/impact.h). A range that is in no document is marked as assumed, and its overlaps
// are at most warnings. The functions have no state and may run on any thread.
namespace overlane::overlap {

/// The use of a range, in the order of `kind`: "pods-nodes", never "nodes-pods".
enum class Role : std::uint8_t {
  Pods,
  Nodes,
  Services,
  Vpc,       ///< The range of a VPC or vnet.
  Subnet,    ///< A subnet of a zone's workers, or of internal or public load balancers.
  SeedPods,  ///< The ranges of the seed that runs the shoot's control plane.
  SeedNodes,
  SeedServices,
  Reserved,  ///< Reserved by Gardener, a cloud or the landscape operator.
  Declared,  ///< Declared in a RoutingDomains file.
};

/// "pods", "seed-pods".
std::string_view to_string(Role role);

/// The kind of an overlap between the two roles: "pods-nodes".
std::string kind_of(Role a, Role b);

/// Whether the range contains node or VPC addresses, or was declared.
constexpr bool is_infrastructure(Role role) {
  return role == Role::Nodes || role == Role::Vpc || role == Role::Subnet || role == Role::Declared;
}

/// Which devices have routes to the pods of a range.
enum class DataplaneMode : std::uint8_t {
  None,     ///< The range has no pods.
  Overlay,  ///< Only the shoot's nodes have routes: the tunnel hides pods from the network.
  /// The nodes have routes through a tunnel, and so has the route table: the controller ignores the
  /// overlay.
  OverlayAndRoutes,
  Routed,  ///< The route table or the fabric has a route for each node's pod CIDR.
  /// The nodes have routes, by WireGuard or on their common link, and so has the route table.
  NodesAndRoutes,
  ByInterface,  ///< The network delivers by itself: it assigned the addresses to the nodes'
                ///< interfaces.
};

constexpr bool is_overlay(DataplaneMode dataplane_mode) {
  return dataplane_mode == DataplaneMode::Overlay ||
         dataplane_mode == DataplaneMode::OverlayAndRoutes;
}
constexpr bool is_routed(DataplaneMode dataplane_mode) {
  return dataplane_mode == DataplaneMode::Routed || dataplane_mode == DataplaneMode::NodesAndRoutes;
}
/// Whether the route table has routes to the pod CIDRs.
constexpr bool has_routes(DataplaneMode dataplane_mode) {
  return is_routed(dataplane_mode) || dataplane_mode == DataplaneMode::OverlayAndRoutes;
}
/// Whether the shoot's nodes reach each other's pods without these routes.
constexpr bool needs_no_routes(DataplaneMode dataplane_mode) {
  return is_overlay(dataplane_mode) || dataplane_mode == DataplaneMode::NodesAndRoutes;
}

/// A range that a shoot uses or a file declares.
struct Range {
  IpPrefix cidr;
  Role role = Role::Pods;
  DataplaneMode dataplane_mode = DataplaneMode::None;
  /// The range or its use is in no document: its overlaps are at most warnings.
  bool assumed = false;
  bool inner = true;  ///< It contains no other node or VPC range of the shoot.
  bool outer = true;  ///< No other node or VPC range of the shoot contains it.
  SourceLocation place;
  Interned path;  ///< "spec.networking.pods"; if assumed, the reason.
  /// Cloud routes to its pods; Written for unknown network types, the more severe case.
  effective::CloudRoutes cloud_routes = effective::CloudRoutes::NotNeeded;
};

/// Whether the range's pods need cloud routes that no controller writes now.
inline bool routes_missing(const Range& range) {
  return range.role == Role::Pods && range.cloud_routes == effective::CloudRoutes::NotWritten;
}

/// The network of a shoot's nodes.
struct NetworkIdentity {
  std::string key;      ///< Equal for shoots that may share it: "aws/vpc-1", "azure/group/vnet".
  bool shared = false;  ///< Other shoots can name it, too.
  bool id_is_unique = false;  ///< Equal keys surely mean the same network.
  std::string credentials;    ///< "namespace/binding" if it is shared; empty: not known.
  SourceLocation place;       ///< Place of the network's name.
};

/// The route table for a shoot's pods, if the cloud routes them.
enum class RouteTableScope : std::uint8_t {
  None,      ///< The provider has no route table for pods.
  Own,       ///< Gardener creates one per shoot.
  Network,   ///< One per network.
  BySubnet,  ///< The table of the shoot's existing subnets.
};

/// Number of nodes of a shoot's workers.
struct NodeBounds {
  std::int64_t minimum = 0;  ///< 0 while the shoot is hibernated.
  std::int64_t waking = 0;   ///< The minimum after the shoot wakes up.
  std::int64_t maximum = 0;
};

/// One shoot with the properties that are compared.
struct Shoot {
  std::string landscape;  ///< Empty if there is only one landscape.
  ObjectName object;
  SourceLocation place;
  std::vector<SourceLocation> more_sources;  ///< Places of its documents other than the one at
                                             ///< `place`.
  effective::Stage stage = effective::Stage::Create;
  bool hibernated = false;  ///< It has a network and subnets, but no nodes and no routes.
  effective::Provider provider{};
  NetworkIdentity network;
  RouteTableScope route_table = RouteTableScope::None;
  std::vector<std::string> subnets;  ///< Ids of the existing subnets of its nodes.
  std::vector<Range> ranges;
  /// The rule of `overlane check` by which Gardener refuses overlaps of the shoot's own ranges;
  /// empty if its ranges do not overlap, or if Gardener does not compare them.
  Interned refused_by;
  std::string observed_id;  ///< status.technicalID; empty if the status does not have it.
  NodeBounds nodes;
  std::vector<IpPrefix> pod_cidrs;           ///< Pod CIDRs of its Nodes, if known, the newest last.
  std::int64_t other_routes = 0;             ///< Its routes that do not lead to nodes.
  std::int64_t routes_per_node = 1;          ///< Routes per node in one route table.
  std::array<std::uint8_t, 2> node_masks{};  ///< By Family.
  bool candidate = false;                    ///< Given by --with.
  bool asked_about = false;                  ///< Changed by a "what if": all its pairs are listed.
  std::shared_ptr<const manifest::SeedSpec> seed;

  /// "namespace/name", with several landscapes "landscape:namespace/name".
  std::string name() const;
  /// "shoot--project--name".
  std::string technical_id() const;
};

/// Summarizes a manifest without validation: shoots that admission refuses have ranges, too. Only a
/// NetworkConfig that cannot be decoded is a finding; its mode is not known, and the pods are
/// treated as routed.
Shoot describe_shoot(const manifest::PodNetworkSpec& spec, const derive::DeriveOptions& options,
                     Findings& findings);

}  // namespace overlane::overlap
