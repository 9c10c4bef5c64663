#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/base/result.h"
#include "results/finding/finding.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"
#include "topologies/manifest/fields/located.h"
#include "topologies/manifest/objects/shoot_view.h"
#include "topologies/manifest/spec/shoot_spec.h"

namespace overlane::manifest {

// PodNetworkSpec is one pod network as its documents give it: the central type between reading and
// deriving. It has values with their places and no defaults; topologies/effective and
// topologies/cni decide the values that Gardener or an extension would default, with reasons. The
// NetworkConfig stays a tree, since only the network extension can decode it; this file decodes
// the parts of it that providers read for every network type. Copies share trees, seeds and
// profiles.
//
// SeedSpec and CloudProfileSpec are what shoots inherit from the garden: a Seed's networks and
// defaults, and a CloudProfile's regions, machine types and limits. Many shoots name the same
// object, so GardenObjects (documents/joined_shoot.h) decodes each once. Seed ranges are checked as
// Gardener's validation checks them.

/// A range that Gardener reserves for the VPN between a seed and its shoots.
struct ReservedRange {
  IpPrefix range;
  const char* purpose;  ///< The range that is mapped to it: "the seed's pods".
};

/// All reserved ranges (gardener/gardener pkg/apis/core/v1beta1/constants/types_constants.go).
std::span<const ReservedRange> reserved_ranges();

/// The networks of a Seed and its defaults for shoots (gardener/gardener
/// pkg/apis/core/v1beta1/types_seed.go, SeedNetworks).
struct SeedSpec {
  std::string name;
  SourceLocation place;
  Field<std::string> provider;
  Field<std::string> region;
  Field<IpPrefix> nodes;
  Field<IpPrefix> pods;
  Field<IpPrefix> services;
  Field<IpPrefix> default_pods;      ///< `networks.shootDefaults.pods`.
  Field<IpPrefix> default_services;  ///< `networks.shootDefaults.services`.
  Field<std::vector<std::string>> ip_families;
};

/// Decodes a Seed, also one that a Cluster embeds, and checks its ranges.
SeedSpec decode_seed(const document::Value& seed, document::Problems& problems);

/// A machine type of a CloudProfile.
struct MachineType {
  std::string name;
  Field<std::string> cpu;  ///< A Kubernetes quantity, as written.
  Field<std::string> memory;
  Field<bool> usable;
};

/// A region of a CloudProfile.
struct Region {
  std::string name;
  std::vector<std::string> zones;
};

/// The networking limits of a CloudProfile or NamespacedCloudProfile (gardener/gardener
/// pkg/apis/core/v1beta1/types_cloudprofile.go).
struct CloudProfileSpec {
  std::string kind;
  std::string name;
  SourceLocation place;
  Field<std::string> provider;
  Field<std::int64_t> max_nodes_total;  ///< `limits.maxNodesTotal`.
  std::vector<MachineType> machine_types;
  std::vector<Region> regions;
  Field<std::string> parent;  ///< A NamespacedCloudProfile's CloudProfile.
};

/// Decodes a CloudProfile or NamespacedCloudProfile, also one that a Cluster embeds.
CloudProfileSpec decode_cloud_profile(const document::Value& profile, document::Problems& problems);

/// Fills absent values of `child`, a NamespacedCloudProfile, from its parent.
void inherit(const CloudProfileSpec& parent, CloudProfileSpec& child);

struct PodNetworkSpec;

/// The block `overlay` of a NetworkConfig. Several network extensions have it, and the providers'
/// admission reads it for every network type. In an empty block, `enabled` decodes to false, which
/// differs from an absent block.
struct Overlay {
  Field<bool> enabled;
  Field<bool> create_pod_routes;
};

/// The `overlay` block of any network type; the only function that reads its values. Reports no
/// errors: check_overlay() does. A value of the wrong type reads as absent.
Field<Overlay> overlay_of(const PodNetworkSpec& spec);

/// Reports unknown keys and wrong types in the block. Every network extension's decoder calls it,
/// with the meanings of both fields for its schema.
void check_overlay(document::Fields& config, std::string_view enabled = {},
                   std::string_view create_pod_routes = {});

/// The field `backend` of calico's NetworkConfig, as providers read it; absent for other network
/// types.
Field<std::string> calico_backend_of(const PodNetworkSpec& spec);

/// Whether `more` contains all values of `less`. Comparisons of two versions of a document use it,
/// because Gardener and admission add fields to those that a user writes.
bool covers(const document::Value& more, const document::Value& less);

/// Decodes a block whose only field is `enabled`.
Field<bool> decode_switch(document::Fields& config, const document::FieldKey& key,
                          std::string_view meaning_of_enabled);

/// The apiVersion of one extension's NetworkConfig.
struct ConfigGroup {
  std::string_view current;
  std::string_view old;  ///< The old apiVersion, without `networking` in its name; may be empty.
  std::string_view meaning;  ///< Describes `apiVersion` in the schema.
};

/// Checks apiVersion and kind of a NetworkConfig. Both may be absent, since the extensions decode
/// into their own type. The old apiVersion is a warning; any other one is an error.
void check_config_type(document::Fields& config, const ConfigGroup& group);

/// A document about the pod network.
struct Source {
  ObjectName object;
  SourceLocation place;
};

/// One pod network as its documents give it, without defaults. Precedence: the Network, then the
/// Shoot, then additions of Cluster, Infrastructure, ControlPlane and Worker.
struct PodNetworkSpec {
  ObjectName object;  ///< The Shoot, or the Network if there is no Shoot.
  SourceLocation place;
  std::vector<Source> sources;  ///< The object's own document first.
  Field<std::string> live;      ///< Evidence that the object was read from a landscape.
  /// Whether a patch or an update changes the spec, so that admission also runs for a live object.
  bool is_changed = false;
  Located<std::string> type;                           ///< networking.type as written.
  Field<std::vector<std::string>> ip_families;         ///< Absent means IPv4.
  Field<std::vector<std::string>> status_ip_families;  ///< Families that the CNI configured.
  Field<IpPrefix> pods;
  Field<IpPrefix> services;
  document::Tree provider_config;  ///< The extension's NetworkConfig; absent root: not given.
  ShootSpec shoot;
  // Seeds and profiles are shared by all shoots that name them; nullptr: not given.
  std::shared_ptr<const SeedSpec> seed;
  /// Seeds that the scheduler could choose for a shoot that names none.
  std::vector<std::shared_ptr<const SeedSpec>> possible_seeds;
  std::shared_ptr<const CloudProfileSpec> cloud_profile;
};

/// `spec` with a JSON merge patch (RFC 7386) applied to its providerConfig. A patch that the config
/// contains leaves the spec unchanged.
PodNetworkSpec with_network_config(const PodNetworkSpec& spec, const document::Value& patch);

/// Decodes a Shoot of garden.sapcloud.io/v1beta1, which Gardener served until 2020: the provider's
/// part is under spec.cloud.<provider>, and the network is calico, which got a providerConfig later
/// (gardener/gardener v1.0 pkg/apis/garden/v1beta1: types.go, defaults.go). Adds a warning
/// `deprecated-api-version`.
void decode_shoot_2020(const ShootView& shoot, PodNetworkSpec& spec, document::Problems& problems);

}  // namespace overlane::manifest
