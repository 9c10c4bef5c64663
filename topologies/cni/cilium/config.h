#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topologies/effective/network_inputs.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::cilium {

// The NetworkConfig of a Cilium shoot (spec.networking.providerConfig), decoded as strictly as
// by the extension's admission. Fields keep their location, so that each reason and each finding
// can point at the line that decides it. A field that is not given stays absent; defaults belong
// to the chart and are applied, with a reason, in dataplane.cpp.

/// The upstream file that reasons and rules of this folder cite.
inline constexpr const char* kCharts = "gardener-extension-networking-cilium pkg/charts/utils.go";

using manifest::Field;

/// The block `encryption:`.
struct EncryptionConfig {
  Field<bool> enabled;
  Field<std::string> mode;
  Field<bool> node_to_node;
  Field<bool> strict;
};

/// The fields of gardener-extension-networking-cilium pkg/apis/cilium/v1alpha1/types_network.go. No
/// defaults are filled in: the extension's defaults belong to its chart.
struct NetworkConfig {
  Field<std::string> tunnel;
  Field<std::int64_t> mtu;  ///< Bytes; 0: automatic.
  Field<std::string> load_balancing_mode;
  EncryptionConfig encryption;
  Field<std::string> api_server_host;  ///< kubeproxy.k8sServiceHost.
  Field<std::int64_t> api_server_port;
  Field<bool> ipv4_enabled;
  Field<bool> ipv6_enabled;
  Field<bool> ipv4_native_routing_cidr;
  Field<bool> ipv6_native_routing_cidr;
  Field<bool> ipv4_masquerade;
  Field<bool> ipv6_masquerade;
  Field<bool> bpf_masquerade;
  Field<bool> snat_to_upstream_dns;
  Field<bool> snat_out_of_cluster;
  Field<bool> egress_gateway;
  Field<bool> bgp_control_plane;
  Field<bool> l2_announcements;
  Field<bool> hubble;
  Field<bool> exclusive;  ///< cni.exclusive.
  std::vector<manifest::Located<std::string>> devices;
  Field<std::string> direct_routing_device;
};

/// Decodes as strictly as the extension's admission: unknown fields, wrong types and values outside
/// their lists are errors. The errors about removed fields of older releases name the field.
NetworkConfig decode(const document::Value& config, document::Problems& problems);

/// Whether Cilium replaces kube-proxy: admission disables kube-proxy in every new shoot, regardless
/// of the manifest (gardener-extension-networking-cilium pkg/admission/mutator/shoot.go).
inline bool replaces_kube_proxy(const effective::NetworkInputs& inputs) {
  const auto& enabled = inputs.spec.shoot.kube_proxy_enabled;
  return inputs.stage == effective::Stage::Create || (enabled && !enabled->value);
}

/// Whether kubeproxy.k8sServiceHost and k8sServicePort are both given; they only have an effect
/// together.
inline bool gives_api_server(const NetworkConfig& config) {
  return config.api_server_host && config.api_server_port;
}

}  // namespace overlane::cilium
