#include "topologies/cni/cilium/config.h"

#include <array>
#include <regex>
#include <string_view>

#include <fmt/format.h>

#include "topologies/manifest/fields/located.h"

namespace overlane::cilium {

namespace {

using document::Fields;
using document::FieldText;
using document::Value;
using manifest::decode_switch;
using manifest::given;
using manifest::given_bool;
using manifest::given_integer;
using manifest::given_one_of;
using manifest::given_string;

constexpr manifest::ConfigGroup kGroup{"cilium.networking.extensions.gardener.cloud/v1alpha1",
                                       "cilium.extensions.gardener.cloud/v1alpha1"};

/// Linux interface names (IFNAMSIZ): at most 15 characters, no slash, no blank.
Field<std::string> decode_device(const Value& device, Fields& config) {
  const auto name = read_string(device, config.problems());
  if (!name) return std::nullopt;
  if (!name->empty() && name->size() <= 15 && name->find_first_of("/ \t\n") == name->npos)
    return given(device, name);
  config.problems().error(device, "bad-value",
                          fmt::format("{} is not a device name", device.path()),
                          "at most 15 characters, no slash, no blank");
  return std::nullopt;
}

Field<std::int64_t> decode_mtu(Fields& config) {
  const Value value = config.any("mtu");
  const auto mtu = config.integer("mtu");
  if (!mtu || (*mtu >= 0 && *mtu <= 65'535)) return given(value, mtu);
  config.problems().error(value, "bad-value",
                          fmt::format("{} must lie between 0 and 65535", value.path()),
                          "0 lets Cilium choose");
  return std::nullopt;
}

EncryptionConfig decode_encryption(Fields& config) {
  Fields fields = config.fields("encryption");
  EncryptionConfig encryption;
  encryption.mode = given_one_of(fields, "mode", {"wireguard"});
  encryption.enabled = given_bool(fields, "enabled");
  encryption.node_to_node = given_bool(fields, "nodeToNodeEnabled");
  encryption.strict = given_bool(fields, "strictMode");
  fields.no_others();
  return encryption;
}

void decode_masquerade(Fields& config, NetworkConfig& cilium) {
  cilium.ipv4_masquerade = given_bool(config, "enableIpv4Masquerade");
  cilium.ipv6_masquerade = given_bool(config, "enableIpv6Masquerade");
  cilium.bpf_masquerade = given_bool(config, "enableBPFMasquerade");
  cilium.snat_to_upstream_dns = decode_switch(config, "snatToUpstreamDNS");
  cilium.snat_out_of_cluster = decode_switch(config, "snatOutOfCluster");
}

void decode_devices(Fields& config, NetworkConfig& cilium) {
  for (Value device : config.list("devices"))
    if (auto name = decode_device(device, config)) cilium.devices.push_back(*std::move(name));
  cilium.direct_routing_device = decode_device(config.any("directRoutingDevice"), config);
}

/// A metav1.Duration: numbers with units, as Go's time.ParseDuration accepts them.
void check_duration(Fields& fields, const char* key) {
  static const std::regex kDuration(
      "[-+]?(0|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)");
  const auto text = fields.string(key);
  if (text && !std::regex_match(*text, kDuration))
    fields.problems().error(fields.any(key), "bad-value",
                            fmt::format("{} must be a duration", fields.any(key).path()),
                            "write a number with its unit, such as 15s");
}

void decode_features(Fields& config, NetworkConfig& cilium) {
  cilium.hubble = decode_switch(config, "hubble");
  cilium.egress_gateway = decode_switch(config, "egressGateway");
  cilium.bgp_control_plane = decode_switch(config, "bgpControlPlane");
  decode_switch(config, "bpfSocketLBHostnsOnly");
  for (const char* key : {"debug", "policyAuditMode"})
    config.boolean(key);
  Fields proxy = config.fields("kubeproxy");
  cilium.api_server_host = given_string(proxy, "k8sServiceHost");
  cilium.api_server_port = given_integer(proxy, "k8sServicePort");
  proxy.no_others();
  Fields cni = config.fields("cni");
  cilium.exclusive = given_bool(cni, "exclusive");
  cni.no_others();
  Fields announcements = config.fields("l2Announcements");
  cilium.l2_announcements = given_bool(announcements, "enabled");
  for (const char* key : {"leaseDuration", "leaseRenewDeadline", "leaseRetryPeriod"})
    check_duration(announcements, key);
  announcements.no_others();
  config.one_of("store", {"kubernetes"});
}

/// Fields of older releases, which the extension's strict decoding refuses.
void refuse_removed(Fields& config) {
  for (const char* key : {"psp", "identityAllocationMode"})
    if (const Value value = config.any(key))
      config.problems().key_error(
          value, "removed-field",
          fmt::format("{} is no longer a field of cilium's NetworkConfig", value.path()),
          "remove it");
}

}  // namespace

NetworkConfig decode(const Value& value, document::Problems& problems) {
  Fields config(value, problems);
  manifest::check_config_type(config, kGroup);
  NetworkConfig cilium;
  manifest::decode_overlay(config);  // For its errors: NetworkInputs::overlay has the value.
  cilium.tunnel = given_one_of(config, "tunnel", {"vxlan", "geneve", "disabled"});
  cilium.mtu = decode_mtu(config);
  cilium.load_balancing_mode = given_one_of(config, "loadBalancingMode", {"snat", "dsr", "hybrid"});
  cilium.encryption = decode_encryption(config);
  cilium.ipv4_enabled = decode_switch(config, "ipv4");
  cilium.ipv6_enabled = decode_switch(config, "ipv6");
  cilium.ipv4_native_routing_cidr = given_bool(config, "ipv4NativeRoutingCIDREnabled");
  cilium.ipv6_native_routing_cidr = given_bool(config, "ipv6NativeRoutingCIDREnabled");
  decode_masquerade(config, cilium);
  decode_devices(config, cilium);
  decode_features(config, cilium);
  refuse_removed(config);
  config.no_others();
  return cilium;
}

std::span<const document::FieldText> config_texts() {
  static constexpr std::array kTexts = {
      FieldText{"apiVersion", "The release of cilium's NetworkConfig."},
      FieldText{"kind", "NetworkConfig."},
      FieldText{
          "overlay",
          "Whether pods' packets are encapsulated. An empty block is not the same as no block."},
      FieldText{"overlay.enabled", "true: a tunnel; false: native routing, regardless of tunnel."},
      FieldText{"overlay.createPodRoutes",
                "Without overlay: whether nodes route to each other's pods directly "
                "(auto-direct-node-routes)."},
      FieldText{"tunnel",
                "The tunnel's protocol; vxlan by default. disabled has an effect only without the "
                "overlay block."},
      FieldText{"mtu", "The MTU of the link in bytes; 0, the default, is automatic."},
      FieldText{"loadBalancingMode",
                "How a service's node answers: through the first node (snat, the default) or "
                "directly; dsr needs a native routing range."},
      FieldText{"encryption", "Encryption between nodes."},
      FieldText{"encryption.mode", "wireguard is the only one."},
      FieldText{"encryption.enabled", "false by default."},
      FieldText{"encryption.nodeToNodeEnabled", "Whether nodes' own traffic is encrypted, too."},
      FieldText{"encryption.strictMode",
                "Whether pods' packets are dropped rather than sent in "
                "clear text."},
      FieldText{"ipv4", "Overwritten from ipFamilies."},
      FieldText{"ipv4.enabled", "Overwritten from ipFamilies."},
      FieldText{"ipv6", "Overwritten from ipFamilies."},
      FieldText{"ipv6.enabled", "Overwritten from ipFamilies."},
      FieldText{"ipv4NativeRoutingCIDREnabled",
                "Whether packets to the pods' range keep their address; overwritten by overlay."},
      FieldText{"ipv6NativeRoutingCIDREnabled", "The same for IPv6."},
      FieldText{"enableIpv4Masquerade", "true by default."},
      FieldText{"enableIpv6Masquerade", "false by default."},
      FieldText{"enableBPFMasquerade",
                "true by default, but off with either of the two snat switches."},
      FieldText{"snatToUpstreamDNS", "Whether queries to the upstream DNS get the node's address."},
      FieldText{"snatToUpstreamDNS.enabled", "false by default."},
      FieldText{"snatOutOfCluster",
                "Whether all packets that leave the cluster get the node's address."},
      FieldText{"snatOutOfCluster.enabled", "false by default."},
      FieldText{"devices", "The network devices that Cilium uses; detected by default."},
      FieldText{"devices[]", "At most 15 characters, no slash, no blank."},
      FieldText{"directRoutingDevice", "The device for direct routes between nodes."},
      FieldText{"hubble", "Observability with Hubble."},
      FieldText{"hubble.enabled", "false by default."},
      FieldText{"egressGateway", "Egress gateways; they need the overlay and no kube-proxy."},
      FieldText{"egressGateway.enabled", "false by default."},
      FieldText{"bgpControlPlane", "Announces pods' ranges over BGP."},
      FieldText{"bgpControlPlane.enabled", "false by default."},
      FieldText{"bpfSocketLBHostnsOnly",
                "Socket load balancing for the host only, as service "
                "meshes need it."},
      FieldText{"bpfSocketLBHostnsOnly.enabled", "false by default."},
      FieldText{"debug", "false by default."},
      FieldText{"policyAuditMode", "Network policies are logged, not enforced; false by default."},
      FieldText{"kubeproxy", "Where the API server is, for clusters without kube-proxy."},
      FieldText{"kubeproxy.k8sServiceHost", "Has an effect only together with the port."},
      FieldText{"kubeproxy.k8sServicePort", "Has an effect only together with the host."},
      FieldText{"cni", "Cilium's CNI plugin."},
      FieldText{"cni.exclusive",
                "Whether it removes the configuration of other CNI plugins; true by "
                "default."},
      FieldText{"l2Announcements", "Answers ARP for services' addresses."},
      FieldText{"l2Announcements.enabled", "false by default."},
      FieldText{"l2Announcements.leaseDuration", "A Go duration."},
      FieldText{"l2Announcements.leaseRenewDeadline", "A Go duration."},
      FieldText{"l2Announcements.leaseRetryPeriod", "A Go duration."},
      FieldText{"store", "kubernetes is the only one."},
  };
  return kTexts;
}

}  // namespace overlane::cilium
