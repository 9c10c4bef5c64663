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

// One pod network as its documents give it: the central type between reading and deriving. It has
// values with their places and no defaults; what Gardener or an extension would default is decided,
// with a reason, in topologies/effective and topologies/cni. The NetworkConfig stays a tree, since
// only the network extension can decode it; here are the parts of it that providers read for every
// network type. Copies share trees, seeds and profiles.

// What shoots inherit from the garden: a Seed's networks and defaults, and a CloudProfile's
// regions, machine types and limits. Many shoots name the same object, so GardenObjects decodes
// each once. Seed ranges are checked as Gardener's validation does, including ranges reserved for
// the VPN between seed and shoots.

/// A range that Gardener reserves for the VPN between a seed and its shoots.
struct ReservedRange {
  IpPrefix range;
  const char* purpose;  ///< The mapped range: "the seed's pods".
};

/// gardener/gardener pkg/apis/core/v1beta1/constants/types_constants.go.
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

/// `seed`: a Seed, or one that a Cluster embeds.
SeedSpec decode_seed(const document::Value& seed, document::Problems& problems);

struct MachineType {
  std::string name;
  Field<std::string> cpu;  ///< A Kubernetes quantity, as written.
  Field<std::string> memory;
  Field<bool> usable;
};

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

/// `profile`: a CloudProfile or NamespacedCloudProfile, or one that a Cluster embeds.
CloudProfileSpec decode_cloud_profile(const document::Value& profile, document::Problems& problems);

/// Fills absent values of `child` from its parent.
void inherit(const CloudProfileSpec& parent, CloudProfileSpec& child);

struct PodNetworkSpec;

/// `overlay:`, the block of a NetworkConfig that several network extensions share and that the
/// providers' admission reads for every network type. An empty block differs from an absent one:
/// `enabled` decodes to false.
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

/// `backend:` of calico's NetworkConfig, as providers read it; absent for other network types.
Field<std::string> calico_backend_of(const PodNetworkSpec& spec);

/// Whether `more` contains all values of `less`: Gardener and admission add fields to what a user
/// writes, and a patch that the config contains changes nothing.
bool covers(const document::Value& more, const document::Value& less);

/// A block whose only field is `enabled`.
Field<bool> decode_switch(document::Fields& config, const document::FieldKey& key,
                          std::string_view meaning_of_enabled);

/// The apiVersion of one extension's NetworkConfig.
struct ConfigGroup {
  std::string_view current;
  std::string_view old;      ///< Before `networking` became a part of the name; empty: none.
  std::string_view meaning;  ///< Describes `apiVersion` in the schema.
};

/// Checks apiVersion and kind. Both may be absent, since the extensions decode into their own type;
/// the old apiVersion is a warning, any other an error.
void check_config_type(document::Fields& config, const ConfigGroup& group);

/// A document that contributed.
struct Source {
  ObjectName object;
  SourceLocation place;
};

/// One pod network as its documents give it, without defaults. Precedence: the Network, then the
/// Shoot, then additions of Cluster, Infrastructure, ControlPlane and Worker.
struct PodNetworkSpec {
  ObjectName object;  ///< The Shoot, else the Network.
  SourceLocation place;
  std::vector<Source> sources;  ///< The object's own document first.
  Field<std::string> live;      ///< Evidence that the object was read from a landscape.
  /// Admission runs on the result: a patch or an update changes the spec of a live object.
  bool is_changed = false;
  Located<std::string> type;                           ///< networking.type as written.
  Field<std::vector<std::string>> ip_families;         ///< Absent means IPv4.
  Field<std::vector<std::string>> status_ip_families;  ///< Families that the CNI configured.
  Field<IpPrefix> pods;
  Field<IpPrefix> services;
  document::Tree provider_config;  ///< The extension's NetworkConfig; absent root: not given.
  ShootSpec shoot;
  // Shared by all shoots that name them; nullptr: not given.
  std::shared_ptr<const SeedSpec> seed;
  /// Seeds that the scheduler could choose for a shoot that names none.
  std::vector<std::shared_ptr<const SeedSpec>> possible_seeds;
  std::shared_ptr<const CloudProfileSpec> cloud_profile;
};

/// `spec` with a JSON merge patch (RFC 7386) applied to its providerConfig. A patch that the config
/// contains leaves the spec unchanged.
PodNetworkSpec with_network_config(const PodNetworkSpec& spec, const document::Value& patch);

// The Shoot API that Gardener served until 2020, for old manifests that people still have. It is
// decoded into the same PodNetworkSpec as the current API.

/// Decodes a Shoot of garden.sapcloud.io/v1beta1, which Gardener served until 2020: the provider's
/// part is under spec.cloud.<provider>, and the network is calico, which got a providerConfig later
/// (gardener/gardener v1.0 pkg/apis/garden/v1beta1: types.go, defaults.go). Adds a warning
/// `deprecated-api-version`.
void decode_shoot_2020(const ShootView& shoot, PodNetworkSpec& spec, document::Problems& problems);

}  // namespace overlane::manifest
