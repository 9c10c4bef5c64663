#pragma once

#include "topologies/effective/network_inputs.h"

namespace overlane::cilium {

/// Whether Cilium does kube-proxy's work: admission disables kube-proxy in every new shoot,
/// whatever the manifest says (gardener-extension-networking-cilium
/// pkg/admission/mutator/shoot.go).
inline bool replaces_kube_proxy(const effective::NetworkInputs& inputs) {
  const auto& enabled = inputs.spec.shoot.kube_proxy_enabled;
  return inputs.stage == effective::Stage::Create || (enabled && !enabled->value);
}

}  // namespace overlane::cilium
