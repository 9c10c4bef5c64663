#pragma once

#include <string_view>

#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/given.h"

namespace overlane::manifest {

struct PodNetworkSpec;

/// `overlay:`, the one block of a NetworkConfig that several network extensions share and that the
/// providers' admission looks at, whatever the network type. That the block is there matters by
/// itself; without `enabled` it decodes to false.
struct Overlay {
  Field<bool> enabled;
  Field<bool> create_pod_routes;
};

/// The one reading of the block. Unknown keys and wrong types are errors; a value of the wrong type
/// reads as absent. Every network extension's NetworkConfig decoder calls it, and so reports them.
Field<Overlay> decode_overlay(document::Fields& config);

/// The same block for admission, whatever the network type: its errors are the extension's to
/// report.
Field<Overlay> overlay_of(const PodNetworkSpec& spec);

/// A block whose only field is `enabled`.
Field<bool> decode_switch(document::Fields& config, std::string_view key);

/// The apiVersion of one extension's NetworkConfig.
struct ConfigGroup {
  std::string_view current;
  std::string_view old;  ///< Before the groups got `networking` into their names; empty: none.
};

/// Checks apiVersion and kind. The extensions decode into their own type, so that their absence is
/// fine; the old apiVersion is a warning, another one an error.
void check_config_type(document::Fields& config, const ConfigGroup& group);

}  // namespace overlane::manifest
