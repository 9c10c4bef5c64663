#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::manifest {

/// `featureGates` and `runtimeConfig`: name and whether it is enabled.
using Switches = std::map<std::string, Located<bool>, std::less<>>;

/// The networking fields of `Shoot.spec.kubernetes` (gardener/gardener
/// pkg/apis/core/v1beta1/types_shoot.go, Kubernetes).
struct KubernetesSpec {
  Field<std::string> kubernetes_version;
  Field<std::int64_t> node_cidr_mask_size;
  Field<std::int64_t> node_cidr_mask_size_ipv6;
  Field<std::int64_t> max_pods;
  Field<bool> kube_proxy_enabled;
  Field<std::string> kube_proxy_mode;
  Field<bool> vertical_pod_autoscaler;
  Switches kube_proxy_feature_gates;
  Switches api_server_feature_gates;
  Switches api_server_runtime_config;
  Switches controller_manager_feature_gates;
};

KubernetesSpec decode_kubernetes(document::Fields kubernetes);

}  // namespace overlane::manifest
