#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/finding/result.h"
#include "topologies/document/tree.h"
#include "topologies/manifest/network_config.h"

namespace overlane::manifest {

/// One of `networks.zones[]` with its subnet for workers (aws, alicloud: `workers`, old `worker`;
/// azure: `cidr`).
struct InfrastructureZone {
  std::string name;
  Given<IpPrefix> workers;
};

/// The parts of an InfrastructureConfig that say where nodes stand; names differ per provider
/// (<provider> pkg/apis/<provider>/v1alpha1/types_infrastructure.go).
struct Infrastructure {
  /// The existing VPC (aws, alicloud: `vpc.id`; gcp: `vpc.name`), vnet (azure: `vnet.name`) or
  /// router (openstack: `router.id`) that the shoot is put into; absent when it gets its own.
  Field<std::string> network_id;
  Field<std::string> resource_group;  ///< azure only.
  Field<IpPrefix> network_cidr;       ///< `vpc.cidr`, `vnet.cidr`.
  Field<IpPrefix> workers_cidr;       ///< `workers` (old: `worker`) of gcp, azure, openstack.
  std::vector<InfrastructureZone> zones;
  Field<std::int64_t> mtu;         ///< gcp `networks.mtu`.
  Field<bool> mtu_customizer;      ///< aws `enableMTUCustomizer`.
  Field<bool> custom_route_table;  ///< alicloud `vpc.useCustomRouteTable`.
};

struct WorkerPool {
  std::string name;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::vector<std::string> zones;
  std::string machine_type;
  Field<std::int64_t> max_pods;
  Place place;
};

/// What the CNI-independent part of a Shoot says; a Network takes it from its Cluster.
struct ShootSpec {
  Field<std::string> provider;
  Field<std::string> region;
  Field<std::string> credentials;
  Infrastructure infrastructure;
  Field<std::int64_t> link_mtu;  ///< A Topology file's `mtu`; no Gardener document has it.
  std::vector<WorkerPool> workers;
  Field<std::int64_t> node_cidr_mask_size;
  Field<std::int64_t> max_pods;
  Field<bool> kube_proxy_enabled;
  Field<std::string> kube_proxy_mode;
  Field<IpPrefix> nodes;
  std::vector<Given<IpPrefix>> status_pods;
  std::vector<Given<IpPrefix>> status_services;
  std::vector<Given<IpPrefix>> status_nodes;
};

/// One pod network as its documents give it, nothing defaulted: from a Shoot, a Cluster's embedded
/// shoot, or a Network with what its Cluster adds.
struct ClusterSpec {
  ObjectName object;  ///< The Shoot or Network.
  Place place;
  Field<std::string> live;  ///< What shows that the object was read from a landscape.
  CniType cni = CniType::Calico;
  Given<std::string> type;                      ///< networking.type as written.
  Field<std::vector<std::string>> ip_families;  ///< Not given means IPv4.
  Field<IpPrefix> pods;
  Field<IpPrefix> services;
  document::Tree provider_config;  ///< Absent root: none given.
  NetworkConfig config;            ///< The same, decoded.
  ShootSpec shoot;
};

/// `spec` with a JSON merge patch (RFC 7386) laid over its providerConfig; fails as admission would
/// with rule "not-admitted".
Result<ClusterSpec> with_network_config(const ClusterSpec& spec, const document::Value& patch);

}  // namespace overlane::manifest
