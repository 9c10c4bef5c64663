#pragma once

#include <string_view>

#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::manifest {

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

/// The same block for admission, for every network type; its errors are reported by the extension's
/// decoder.
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

}  // namespace overlane::manifest
