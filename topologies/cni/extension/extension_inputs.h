#pragma once

#include "topologies/effective/network_inputs.h"

namespace overlane::cni {

/// A shoot and its decoded NetworkConfig, for rules about what the extension's admission or
/// reconciliation refuses.
template <typename NetworkConfig>
struct ExtensionInputs {
  const NetworkConfig& config;
  const effective::NetworkInputs& shoot;
};

/// The same with the effective dataplane, for rules about accepted configuration that misbehaves.
template <typename NetworkConfig>
struct ExtensionLintInputs {
  const NetworkConfig& config;
  const effective::NetworkInputs& shoot;
  const effective::EffectiveDataplane& dataplane;
};

}  // namespace overlane::cni
