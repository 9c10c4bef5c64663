#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/finding/finding.h"
#include "topologies/derive/derive.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/manifest/spec/cluster_spec.h"
#include "topologies/overlap/inventory/role.h"

namespace overlane::overlap {

/// Who knows where a pod address is.
enum class DataplaneMode : std::uint8_t {
  None,     ///< The range holds no pods.
  Overlay,  ///< Only the shoot's nodes: the tunnel hides pods from the network.
  /// The nodes, by a tunnel; a controller that does not ask for the overlay writes routes, too.
  OverlayAndRoutes,
  Routed,  ///< The network's routes, or those of the fabric, for each node's pod CIDR.
  /// The nodes, in WireGuard or by routes on the link that they share; for all others the
  /// network's routes.
  NodesAndRoutes,
  ByInterface,  ///< The network itself, which handed the addresses to the nodes' interfaces.
};

constexpr bool is_overlay(DataplaneMode dataplane_mode) {
  return dataplane_mode == DataplaneMode::Overlay ||
         dataplane_mode == DataplaneMode::OverlayAndRoutes;
}
constexpr bool is_routed(DataplaneMode dataplane_mode) {
  return dataplane_mode == DataplaneMode::Routed || dataplane_mode == DataplaneMode::NodesAndRoutes;
}
/// Whether pod CIDRs of the pods stand in the network's list of routes.
constexpr bool has_routes(DataplaneMode dataplane_mode) {
  return is_routed(dataplane_mode) || dataplane_mode == DataplaneMode::OverlayAndRoutes;
}
/// Whether the shoot's nodes reach each other's pods without that list.
constexpr bool needs_no_routes(DataplaneMode dataplane_mode) {
  return is_overlay(dataplane_mode) || dataplane_mode == DataplaneMode::NodesAndRoutes;
}

/// One range that a shoot uses, or that somebody declares.
struct Range {
  IpPrefix cidr;
  Role role = Role::Pods;
  DataplaneMode dataplane_mode = DataplaneMode::None;
  /// No document gives it, or not what is done with it: what comes of it is a warning at most.
  bool assumed = false;
  bool inner = true;  ///< Of ranges of hosts: none of the shoot's others lies in it …
  bool outer = true;  ///< … and it lies in none of them.
  SourceLocation place;
  Interned path;  ///< "spec.networking.pods"; of what is assumed, why: "a seed usually says".
  /// Of pods; Written where the network type is not known, which is the graver case.
  effective::CloudRoutes cloud_routes = effective::CloudRoutes::NotNeeded;
};

/// The network that a shoot's nodes are in.
struct NetworkIdentity {
  std::string key;      ///< Equal for shoots that may share it: "aws/vpc-1", "azure/group/vnet".
  bool shared = false;  ///< It has a name that others can use, too.
  bool id_is_unique = false;  ///< Equal keys are the same network for sure.
  std::string credentials;    ///< "namespace/binding", if it is shared; empty: not known.
  SourceLocation place;       ///< Of the name.
};

/// Whose list of routes a shoot's pods stand in, where they are routed by the cloud.
enum class RouteTable : std::uint8_t {
  None,      ///< The provider has no list of routes for pods.
  Own,       ///< Gardener makes it for the shoot.
  Network,   ///< One for all that is in the network.
  BySubnet,  ///< That of the existing subnets that the shoot was given.
};

/// How many nodes a shoot's workers have.
struct NodeBounds {
  std::int64_t minimum = 0;  ///< None while it is hibernated …
  std::int64_t waking = 0;   ///< … but so many, at least, as soon as it wakes up.
  std::int64_t maximum = 0;
};

/// What there is to compare of one shoot.
struct Shoot {
  std::string landscape;  ///< Empty: the only one.
  ObjectName object;
  SourceLocation place;
  std::vector<SourceLocation>
      more_sources;  ///< Documents that describe it, beside the one at `place`.
  effective::Stage stage = effective::Stage::Create;
  bool hibernated = false;  ///< It has its network and subnets, but neither nodes nor routes.
  effective::Provider provider{};
  NetworkIdentity network;
  RouteTable route_table = RouteTable::None;
  std::vector<std::string> subnets;  ///< Ids of existing ones that its nodes are in.
  std::vector<Range> ranges;
  /// The rule by which Gardener refuses ranges of its own that meet, as `overlane check` has it;
  /// empty: none meet, or nobody compares them.
  Interned refused_by;
  std::string observed_id;  ///< status.technicalID; empty: not given.
  NodeBounds nodes;
  std::vector<IpPrefix> pod_cidrs;   ///< Of its Nodes, where they are given, the newest last.
  std::int64_t other_routes = 0;     ///< That it puts into a table beside those of its nodes.
  std::int64_t routes_per_node = 1;  ///< In one list.
  std::array<std::uint8_t, 2> node_masks{};  ///< By Family.
  bool candidate = false;                    ///< Of --with.
  bool asked_about = false;  ///< What a question "what if" is about: its pairs are all listed.
  std::shared_ptr<const manifest::SeedSpec> seed;

  /// "namespace/name", of several landscapes "landscape:namespace/name".
  std::string name() const;
  /// "shoot--project--name".
  std::string technical_id() const;
};

/// A shoot that admission would refuse has ranges too, so nothing is judged here. Only a
/// NetworkConfig that cannot be decoded is reported in `findings`: the mode is then not known, and
/// the pods are treated as routed.
Shoot describe_shoot(const manifest::PodNetworkSpec& spec, const derive::DeriveOptions& options,
                     Findings& findings);

}  // namespace overlane::overlap
