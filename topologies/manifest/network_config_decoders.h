#pragma once

#include <string_view>

#include "topologies/manifest/network_config.h"

namespace overlane::manifest {

/// The parts of decode_network_config. Each reads every field that its extension knows, and
/// reports the others.
CalicoConfig decode_calico(document::Fields& config);
CiliumConfig decode_cilium(document::Fields& config);

Field<Overlay> decode_overlay(document::Fields& config);
/// A block whose only field is `enabled`.
Field<bool> decode_switch(document::Fields& config, std::string_view key);

}  // namespace overlane::manifest
