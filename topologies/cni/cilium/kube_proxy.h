#pragma once

#include "topologies/cni/cilium/config.h"
#include "topologies/effective/network_inputs.h"

namespace overlane::cilium {

/// Whether Cilium replaces kube-proxy: admission disables kube-proxy in every new shoot, regardless
/// of the manifest (gardener-extension-networking-cilium pkg/admission/mutator/shoot.go).
inline bool replaces_kube_proxy(const effective::NetworkInputs& inputs) {
  const auto& enabled = inputs.spec.shoot.kube_proxy_enabled;
  return inputs.stage == effective::Stage::Create || (enabled && !enabled->value);
}

/// kubeproxy.k8sServiceHost and k8sServicePort, which only have an effect together.
inline bool gives_api_server(const NetworkConfig& config) {
  return config.api_server_host && config.api_server_port;
}

}  // namespace overlane::cilium
