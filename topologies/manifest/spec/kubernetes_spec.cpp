#include "topologies/manifest/spec/kubernetes_spec.h"

#include <fmt/format.h>

#include "topologies/manifest/fields/located_fields.h"
#include "topologies/manifest/fields/unknown_fields.h"
#include "topologies/manifest/spec/worker_pool.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Value;

Switches decode_switches(Fields& fields, std::string_view key) {
  Switches switches;
  for (const Value entry : fields.mapping(key))
    if (auto on = given(entry, read_boolean(entry, fields.problems())))
      switches.emplace(entry.key(), *std::move(on));
  return switches;
}

/// Gardener's network extension documentation uses `kubeproxy`, which the API does not know.
Fields kube_proxy_block(Fields& kubernetes) {
  const Value misspelt = kubernetes.any("kubeproxy");
  if (!misspelt) return kubernetes.fields("kubeProxy");
  kubernetes.problems().warning(
      misspelt, "deprecated-field",
      fmt::format("{} is how Gardener's documents once spelt kubeProxy; today's API ignores it",
                  misspelt.path()),
      "rename it to kubeProxy");
  return kubernetes.fields(kubernetes.any("kubeProxy") ? "kubeProxy" : "kubeproxy");
}

void decode_kube_proxy(Fields proxy, KubernetesSpec& spec) {
  spec.kube_proxy_enabled = given_bool(proxy, "enabled");
  const Value mode = proxy.any("mode");
  spec.kube_proxy_mode = given(mode, proxy.one_of("mode", {"IPTables", "IPVS", "NFTables"}));
  spec.kube_proxy_feature_gates = decode_switches(proxy, "featureGates");
  proxy.warn_others();
}

void decode_control_plane_fields(Fields& kubernetes, KubernetesSpec& spec) {
  Fields manager = kubernetes.fields("kubeControllerManager");
  spec.node_cidr_mask_size = given_integer(manager, "nodeCIDRMaskSize", kInt32);
  spec.node_cidr_mask_size_ipv6 = given_integer(manager, "nodeCIDRMaskSizeIPv6", kInt32);
  spec.controller_manager_feature_gates = decode_switches(manager, "featureGates");
  warn_misspelt(manager.value(), {"nodeCIDRMaskSize", "nodeCIDRMaskSizeIPv6", "featureGates"},
                manager.problems());
  Fields server = kubernetes.fields("kubeAPIServer");
  spec.api_server_feature_gates = decode_switches(server, "featureGates");
  spec.api_server_runtime_config = decode_switches(server, "runtimeConfig");
  warn_misspelt(server.value(), {"featureGates", "runtimeConfig"}, server.problems());
}

}  // namespace

KubernetesSpec decode_kubernetes(Fields kubernetes) {
  KubernetesSpec spec;
  spec.kubernetes_version = given_string(kubernetes, "version");
  decode_control_plane_fields(kubernetes, spec);
  decode_kube_proxy(kube_proxy_block(kubernetes), spec);
  spec.max_pods = decode_max_pods(kubernetes);
  Fields autoscaler = kubernetes.fields("verticalPodAutoscaler");
  spec.vertical_pod_autoscaler = given_bool(autoscaler, "enabled");
  kubernetes.ignore({"allowPrivilegedContainers", "clusterAutoscaler", "kubeScheduler",
                     "enableStaticTokenKubeconfig", "etcd"});
  kubernetes.warn_others();
  return spec;
}

}  // namespace overlane::manifest
