#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/document/fields/fields.h"
#include "topologies/manifest/infrastructure/infrastructure.h"
#include "topologies/manifest/spec/control_plane.h"
#include "topologies/manifest/spec/kubernetes_spec.h"
#include "topologies/manifest/spec/worker_pool.h"

namespace overlane::manifest {

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

}  // namespace overlane::manifest
