#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/base/result.h"
#include "results/finding/finding.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"
#include "topologies/manifest/fields/located.h"
#include "topologies/manifest/spec/garden_spec.h"
#include "topologies/manifest/spec/shoot_spec.h"

namespace overlane::manifest {

// One pod network as its documents give it: the central type between reading and deriving. It
// has values with their places and no defaults; what Gardener or an extension would default is
// decided, with a reason, in topologies/effective and topologies/cni. The NetworkConfig stays a
// tree, since only the network extension can decode it; here are the parts of it that providers
// read for every network type. Copies share trees, seeds and profiles.

struct PodNetworkSpec;

/// `overlay:`, the block of a NetworkConfig that several network extensions share and that the
/// providers' admission reads for every network type. An empty block differs from an absent one:
/// `enabled` decodes to false.
struct Overlay {
  Field<bool> enabled;
  Field<bool> create_pod_routes;
};

/// Decodes the block; the only function that does. Unknown keys and wrong types are errors; a value
/// of the wrong type reads as absent. Called by every network extension's decoder, which thereby
/// reports the errors.
Field<Overlay> decode_overlay(document::Fields& config);

/// The `overlay` block of any network type, for admission. Reports no errors: the extension's
/// decoder does.
Field<Overlay> overlay_of(const PodNetworkSpec& spec);

/// `backend:` of calico's NetworkConfig, as providers read it; absent for other network types.
Field<std::string> calico_backend_of(const PodNetworkSpec& spec);

/// Whether `more` contains all values of `less`: Gardener and admission add fields to what a user
/// writes, and a patch that the config contains changes nothing.
bool covers(const document::Value& more, const document::Value& less);

/// A block whose only field is `enabled`.
Field<bool> decode_switch(document::Fields& config, std::string_view key);

/// The apiVersion of one extension's NetworkConfig.
struct ConfigGroup {
  std::string_view current;
  std::string_view old;  ///< Before `networking` became a part of the name; empty: none.
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

}  // namespace overlane::manifest
