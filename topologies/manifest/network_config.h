#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "topologies/document/fields.h"
#include "topologies/manifest/given.h"

namespace overlane::manifest {

enum class CniType { Calico, Cilium };

/// `overlay:`, the one block that both network extensions share. That the block is there matters
/// by itself; without `enabled` it decodes to false.
struct Overlay {
  Field<bool> enabled;
  Field<bool> create_pod_routes;
};

/// The fields of calico's NetworkConfig that decide the dataplane
/// (gardener-extension-networking-calico pkg/apis/calico/v1alpha1/types_network.go).
struct CalicoConfig {
  Field<Overlay> overlay;
  Field<std::string> backend;
  Field<std::string> ipv4_pool;
  Field<std::string> ipv4_mode;
  Field<std::int64_t> veth_mtu;
  Field<bool> vxlan;
  Field<bool> ebpf;
  Field<bool> wireguard;
  Field<bool> snat_to_upstream_dns;
};

/// The same for cilium
/// (gardener-extension-networking-cilium pkg/apis/cilium/v1alpha1/types_network.go).
struct CiliumConfig {
  Field<Overlay> overlay;
  Field<std::string> tunnel;
  Field<std::int64_t> mtu;
  Field<std::string> load_balancing_mode;
  Field<bool> wireguard;
  Field<bool> ipv4_masquerade;
  Field<bool> bpf_masquerade;
  Field<bool> snat_to_upstream_dns;
  Field<bool> snat_out_of_cluster;
};

using NetworkConfig = std::variant<CalicoConfig, CiliumConfig>;

/// Decodes a providerConfig as strictly as the network extensions' admission: unknown fields, wrong
/// types and values outside their lists are errors in `problems`. Absent gives all defaults.
/// Deprecated spellings that still work are warnings.
NetworkConfig decode_network_config(CniType cni, const document::Value& config,
                                    document::Problems& problems);

}  // namespace overlane::manifest
