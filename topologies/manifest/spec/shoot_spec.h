#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"
#include "topologies/manifest/spec/infrastructure.h"

namespace overlane::manifest {

// The part of a Shoot that does not depend on its network type (gardener/gardener
// pkg/apis/core/v1beta1/types_shoot.go): provider, workers, kubernetes settings, node-local DNS,
// and the parts of the status that name ranges. Additions from the shoot's Infrastructure,
// ControlPlane and Worker objects are joined into the same structure by
// documents/joined_shoot.cpp. Fields that no document gives are absent. The functions are pure.

/// A `featureGates` or `runtimeConfig`: by name, whether the feature or API is enabled.
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

/// One of a Shoot's `provider.workers[]` or of a Worker's `pools[]`.
struct WorkerPool {
  std::string name;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::vector<std::string> zones;
  std::string machine_type;
  Field<std::string> max_surge;        ///< A number or a percentage.
  Field<std::string> max_unavailable;  ///< A number or a percentage.
  Field<std::string> kubernetes_version;
  Field<std::int64_t> max_pods;  ///< The pool's own `kubelet.maxPods`.
  /// AutoRollingUpdate if absent; AutoInPlaceUpdate and ManualInPlaceUpdate keep the machines
  /// (GEP-31).
  Field<std::string> update_strategy;
  /// Whether its machines run the control plane of a self-hosted shoot (GEP-28).
  Field<bool> control_plane;
  SourceLocation place;

  bool is_updated_in_place() const {
    return update_strategy && update_strategy->value.ends_with("InPlaceUpdate");
  }
};

/// Decodes a worker of a Shoot (gardener/gardener pkg/apis/core/v1beta1/types_shoot.go, Worker).
WorkerPool decode_shoot_worker(const document::Value& value, document::Problems& problems);
/// Decodes a pool of a Worker (gardener/gardener pkg/apis/extensions/v1alpha1/types_worker.go,
/// WorkerPool).
WorkerPool decode_worker_pool(const document::Value& value, document::Problems& problems);
/// Decodes a worker of spec.cloud.<provider> in garden.sapcloud.io/v1beta1, whose zones are in a
/// sibling list.
WorkerPool decode_worker_2020(const document::Value& value, document::Problems& problems);

/// Decodes `kubelet.maxPods` of a `kubernetes` block. Unknown fields of the kubelet are reported
/// only if they look like a misspelt maxPods, since Kubernetes adds fields in every release.
Field<std::int64_t> decode_max_pods(document::Fields& kubernetes);

/// The routing fields of a ControlPlaneConfig, and the provider's annotation on the ControlPlane.
struct ControlPlane {
  /// The name of the given source in a sentence: the ControlPlane object, or else the shoot's
  /// controlPlaneConfig. Absent: neither is given.
  Field<std::string> given;
  /// aws `cloudControllerManager.useCustomRouteController`.
  Field<bool> custom_route_controller;
  /// stackit `cloudControllerManager.name`: the cloud controller manager that runs.
  Field<std::string> cloud_controller_manager;
  /// The annotation `<provider>.provider.extensions.gardener.cloud/calico-cleanup-completed`:
  /// Calico's node conditions were removed after the overlay was switched off.
  Field<bool> calico_cleanup_completed;
};

/// Decodes a ControlPlaneConfig. Only aws and stackit have a relevant field; other fields are not
/// checked.
void decode_control_plane_config(std::string_view provider, const document::Value& config,
                                 ControlPlane& out, document::Problems& problems);

/// Reads the annotation of a ControlPlane.
void decode_control_plane_annotations(const document::Value& annotations, ControlPlane& out);

/// `spec.systemComponents.nodeLocalDNS`.
struct NodeLocalDns {
  Field<bool> enabled;
  Field<bool> force_tcp_to_cluster_dns;
  Field<bool> force_tcp_to_upstream_dns;
  Field<bool> disable_forward_to_upstream_dns;
};

/// One of `status.constraints[]`, such as DualStackNodesMigrationReady.
struct Constraint {
  std::string type;
  std::string status;  ///< "True", "False", "Progressing", "Unknown".
  std::string reason;
  SourceLocation place;
};

/// `spec.cloudProfile`, or the older `spec.cloudProfileName`.
struct CloudProfileReference {
  std::string kind;  ///< CloudProfile or NamespacedCloudProfile.
  std::string name;

  bool operator==(const CloudProfileReference&) const = default;
};

/// The CNI-independent part of a Shoot, with additions from the shoot's other documents.
struct ShootSpec : KubernetesSpec {
  Field<std::string> provider;
  Field<std::string> region;
  Field<std::string> credentials;  ///< credentialsBindingName or secretBindingName.
  Field<CloudProfileReference> cloud_profile;
  Field<std::string> seed_name;
  Field<std::string> purpose;
  Field<bool> hibernation;  ///< `spec.hibernation.enabled`: desired state.
  /// `spec.maintenance.confineSpecUpdateRollout`: changes wait for the maintenance time window.
  Field<bool> confines_rollout;
  Field<std::string> deletion_timestamp;
  Infrastructure infrastructure;
  ControlPlane control_plane;
  Field<std::int64_t> link_mtu;  ///< A Topology file's `mtu`; no Gardener document has it.
  std::vector<WorkerPool> workers;
  NodeLocalDns node_local_dns;
  Field<IpPrefix> nodes;

  Field<std::string> technical_id;  ///< `status.technicalID`, such as shoot--project--name.
  Field<std::string> status_seed_name;
  Field<bool> hibernated;  ///< `status.hibernated`: actual state.
  std::vector<Constraint> constraints;
  std::vector<Located<std::string>>
      advertised_addresses;  ///< Names in `status.advertisedAddresses`.
  std::vector<Located<IpPrefix>> status_pods;
  std::vector<Located<IpPrefix>> status_services;
  std::vector<Located<IpPrefix>> status_nodes;
  std::vector<Located<IpPrefix>> status_egress;

  /// The constraint of this type, or nullptr.
  const Constraint* constraint(std::string_view type) const;
};

struct ShootView;

/// Decodes a shoot of the current API, or of a Runtime, except its network type.
ShootSpec decode_shoot_spec(const ShootView& shoot, document::Problems& problems);
/// Decodes the status, which is the same in all APIs.
void decode_shoot_status(document::Fields status, ShootSpec& read);

/// MutatingAdmissionPolicy in a shoot's API server: alpha in Kubernetes 1.33, beta in 1.34
/// and 1.35, where a feature gate and a runtimeConfig enable it, and enabled from 1.36 on.
struct MutatingPolicies {
  bool enabled = false;
  /// The runtimeConfig that must be on in addition to the feature gate,
  /// "admissionregistration.k8s.io/v1beta1". Empty: the release needs none, is too old or is not
  /// known.
  std::string_view api;
};

MutatingPolicies mutating_policies(const ShootSpec& shoot);

}  // namespace overlane::manifest
