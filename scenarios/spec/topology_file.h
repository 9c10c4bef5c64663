#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "scenarios/spec/fabric.h"
#include "scenarios/spec/machine.h"
#include "scenarios/spec/racks.h"
#include "scenarios/spec/ranges.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"
#include "topologies/graph/topology.h"

namespace overlane::spec {

/// The VPC of a `kind: Topology` file; absent members keep the provider's defaults.
struct VpcSpec {
  std::string name;
  std::optional<std::string> provider;
  std::optional<std::uint32_t> mtu;
  std::vector<std::string> zones;
  std::optional<std::uint32_t> route_quota;
  std::vector<graph::ForeignRoute> foreign_routes;
  std::optional<Picos> latency_within_zone;
  std::optional<Picos> latency_across_zones;
  RateOrNone single_flow;  ///< Bandwidth limit of a single flow.
  FabricSpec fabric;
  std::optional<RacksSpec> racks;
  SourceLocation place;
};

/// The shoot in the VPC.
struct ShootSpec {
  std::string manifest;  ///< Path, relative to the Topology file.
  std::string shoot;     ///< "namespace/name"; empty if the manifest contains only one.
  std::optional<std::uint32_t> nodes;
  std::optional<std::uint32_t> pods_per_node;
  std::optional<std::uint32_t> services;
  std::optional<cost::Wire> wire;  ///< What connects the nodes; empty: the provider's usual one.
  /// The nodes' kernel by its name in the cost profile; empty: the profile's own.
  std::string kernel;
  SourceLocation kernel_place;
  MachineSpec machine;
  SourceLocation place;
};

/// A `kind: Topology` file with one VPC and one shoot in it.
struct TopologyFile {
  std::string name;
  std::string file;
  VpcSpec vpc;
  ShootSpec shoot;
};

Result<TopologyFile, Findings> decode_topology(const document::Tree& tree);
/// The same; adds errors to the fields' Problems.
TopologyFile decode_topology(document::Fields& root);

}  // namespace overlane::spec
