#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::calico {

// The NetworkConfig of a Calico shoot (spec.networking.providerConfig), decoded as strictly as by
// the extension's admission: a manifest with an unknown field, a wrong type or a value outside its
// list would never reach a cluster. Fields keep their location, so that each reason and each
// finding can point at the line that decides it. A field that is not given stays absent; defaults
// belong to the chart and are applied, with a reason, in dataplane.cpp.

// Upstream files that reasons and rules of this folder cite.
inline constexpr const char* kCharts = "gardener-extension-networking-calico pkg/charts/utils.go";
inline constexpr const char* kActuator =
    "gardener-extension-networking-calico pkg/controller/actuator_reconcile.go";
inline constexpr const char* kUsage = "gardener-extension-networking-calico docs/usage/usage.md";

using manifest::Field;

/// The block `ipv4:` or `ipv6:`.
struct FamilyConfig {
  Field<std::string> pool;
  Field<std::string> mode;
  Field<std::string> auto_detection_method;
  Field<bool> source_nat;  ///< Only in `ipv6:`.
};

/// The fields of gardener-extension-networking-calico pkg/apis/calico/v1alpha1/types_network.go. No
/// defaults are filled in: the extension's defaults belong to its chart.
struct NetworkConfig {
  Field<std::string> backend;
  Field<std::string> ipam_type;
  Field<std::string> ipam_cidr;
  Field<FamilyConfig> ipv4;
  Field<FamilyConfig> ipv6;
  Field<std::int64_t> veth_mtu;  ///< Bytes; 0: automatic.
  Field<bool> vxlan;
  Field<bool> ebpf;
  Field<bool> wireguard;
  Field<bool> typha;
  Field<bool> snat_to_upstream_dns;
  Field<bool> bird_exporter;
  Field<std::string> auto_scaling_mode;
  Field<std::string> auto_scaling_resources;  ///< Only its location is used.
  Field<bool> multus;
  Field<bool> multus_plugins;  ///< multus.installCNIPlugins.
  Field<std::string> service_loop_prevention;
};

/// Decodes as strictly as the extension's admission: unknown fields, wrong types and values outside
/// their lists are errors; deprecated spellings that still work are warnings.
NetworkConfig decode(const document::Value& config, document::Problems& problems);

/// Whether calico-ipam allocates the pods' addresses, from blocks of the whole pod range: the chart
/// selects it for vxlan.enabled, whatever ipam.type is.
bool uses_calico_ipam(const NetworkConfig& config);

/// Whether ipam.cidr is a range and not usePodCIDR.
bool has_own_ipam_range(const NetworkConfig& config);

}  // namespace overlane::calico
