#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "scenarios/spec/fabric.h"
#include "scenarios/spec/optional_fields.h"
#include "scenarios/spec/regimes.h"
#include "sim/cost/cost_profile.h"
#include "sim/fabric/limits.h"
#include "sim/fabric/path.h"
#include "sim/host/machine.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"
#include "topologies/graph/topology.h"

namespace overlane::spec {

// A `kind: Topology` file: one VPC with its fabric, racks and wire, the machines of the nodes, and
// one shoot. A topology describes the physical network and machines; the shoot's manifest describes
// the configuration of its pod network. Absent members keep the defaults of the provider.

/// One offload that a file switches on or off.
struct OffloadSwitch {
  bool cost::Offloads::*which = nullptr;
  bool on = true;

  bool operator==(const OffloadSwitch&) const = default;
};

/// The name of the offload in `ethtool -k` and in files.
std::string_view name_of(const OffloadSwitch& offload);

/// The nodes' machines in a file; absent members keep the provider's defaults.
struct MachineSpec {
  std::optional<std::uint32_t> cores;
  std::optional<std::uint32_t> threads_per_core;
  std::optional<BitsPerSecond> nic;
  std::optional<std::uint32_t> queues;
  std::optional<std::uint32_t> receive_ring;
  std::optional<Picos> interrupt_gap;
  std::optional<host::UdpRss> udp_rss;
  std::optional<host::TunnelRss> ipip_rss;
  std::optional<host::TunnelRss> udp_tunnel_rss;
  std::optional<bool> rps;
  std::vector<OffloadSwitch> offloads;
  /// Bandwidth allowance with burst credits. Requires `nic`, since credits are a time at the NIC's
  /// rate.
  struct Bandwidth {
    BitsPerSecond baseline;
    Picos burst;
  };
  std::optional<Bandwidth> bandwidth;
  std::optional<fabric::PacketAllowance> packets;
  std::vector<RegimeStatement> regimes;  ///< Settings that are not modelled.
};

/// Decodes the block `machine` for nodes that `wire` connects. With veth pairs, NIC fields are
/// errors.
MachineSpec decode_machine(document::Fields& machine, cost::Wire wire);

/// Decodes the key `wire`, which `key` describes.
std::optional<cost::Wire> decode_wire(document::Fields& fields, const document::FieldKey& key);
/// The word for a wire in files.
std::string_view to_string(cost::Wire wire);

/// Decodes the block `offloads`: names of `ethtool -k`, each on or off. `meaning` is one
/// description for all names; by default, each name has its own description.
std::vector<OffloadSwitch> decode_offloads(document::Fields& offloads,
                                           std::string_view meaning = {});
void apply(const std::vector<OffloadSwitch>& switches, cost::Offloads& offloads);

/// The racks of a VPC in a Topology file.
struct RacksSpec {
  fabric::Racks racks;
  bool gives_queue = false;  ///< Otherwise `racks` has the default queue.
  SourceLocation place;
};

/// Reads `racks` of a VPC; nothing if absent or invalid. Invalid values are reported.
std::optional<RacksSpec> decode_racks(document::Fields& vpc);

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
  std::optional<Picos> latency_jitter;
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
  std::optional<cost::Wire> wire;  ///< What connects the nodes; empty: the provider's default.
  /// Name of the nodes' kernel in the cost profile; empty: the profile's own kernel.
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
/// Decodes the fields of a Topology; adds errors to the fields' Problems.
TopologyFile decode_topology(document::Fields& root);

}  // namespace overlane::spec
