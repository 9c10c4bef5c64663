#pragma once

#include "topologies/effective/network_inputs.h"

namespace overlane::cni {

/// A shoot in the hands of a network extension, for rules about what the extension's admission or
/// reconciliation refuses.
template <typename NetworkConfig>
struct ExtensionInputs {
  const NetworkConfig& config;
  const effective::NetworkInputs& shoot;
};

/// The same with what comes out, for rules about what disappoints.
template <typename NetworkConfig>
struct ExtensionLintInputs {
  const NetworkConfig& config;
  const effective::NetworkInputs& shoot;
  const effective::EffectiveDataplane& dataplane;
};

}  // namespace overlane::cni
