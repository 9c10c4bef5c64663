#include "topologies/cni/cilium/config.h"

#include <array>
#include <regex>
#include <string_view>

#include <fmt/format.h>

#include "topologies/manifest/fields/located.h"

namespace overlane::cilium {

namespace {

using document::FieldKey;
using document::Fields;
using document::Value;
using manifest::decode_switch;
using manifest::given;
using manifest::given_bool;
using manifest::given_integer;
using manifest::given_one_of;
using manifest::given_string;

constexpr manifest::ConfigGroup kGroup{"cilium.networking.extensions.gardener.cloud/v1alpha1",
                                       "cilium.extensions.gardener.cloud/v1alpha1",
                                       "The release of cilium's NetworkConfig."};
constexpr std::string_view kFromFamilies = "Overwritten from ipFamilies.";

/// Decodes the name of a Linux interface (IFNAMSIZ): at most 15 characters, no slash, no blank.
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
  const FieldKey key("mtu", "The MTU of the link in bytes; 0, the default, is automatic.");
  const Value value = config.any(key);
  const auto mtu = config.integer(key);
  if (!mtu || (*mtu >= 0 && *mtu <= 65'535)) return given(value, mtu);
  config.problems().error(value, "bad-value",
                          fmt::format("{} must lie between 0 and 65535", value.path()),
                          "0 lets Cilium choose");
  return std::nullopt;
}

EncryptionConfig decode_encryption(Fields& config) {
  Fields fields = config.fields(FieldKey("encryption", "Encryption between nodes."));
  EncryptionConfig encryption;
  encryption.mode =
      given_one_of(fields, FieldKey("mode", "wireguard is the only one."), {"wireguard"});
  encryption.enabled = given_bool(fields, FieldKey("enabled", "false by default."));
  encryption.node_to_node = given_bool(
      fields, FieldKey("nodeToNodeEnabled", "Whether nodes' own traffic is encrypted, too."));
  encryption.strict = given_bool(
      fields,
      FieldKey("strictMode", "Whether pods' packets are dropped rather than sent in clear text."));
  fields.no_others();
  return encryption;
}

void decode_masquerade(Fields& config, NetworkConfig& cilium) {
  cilium.ipv4_masquerade = given_bool(config, FieldKey("enableIpv4Masquerade", "true by default."));
  cilium.ipv6_masquerade =
      given_bool(config, FieldKey("enableIpv6Masquerade", "false by default."));
  cilium.bpf_masquerade = given_bool(
      config, FieldKey("enableBPFMasquerade",
                       "true by default, but off with either of the two snat switches."));
  cilium.snat_to_upstream_dns = decode_switch(
      config,
      FieldKey("snatToUpstreamDNS", "Whether queries to the upstream DNS get the node's address."),
      "false by default.");
  cilium.snat_out_of_cluster =
      decode_switch(config,
                    FieldKey("snatOutOfCluster",
                             "Whether all packets that leave the cluster get the node's address."),
                    "false by default.");
}

void decode_devices(Fields& config, NetworkConfig& cilium) {
  for (Value device :
       config.list(FieldKey("devices", "The network devices that Cilium uses; detected by default.",
                            "At most 15 characters, no slash, no blank.")))
    if (auto name = decode_device(device, config)) cilium.devices.push_back(*std::move(name));
  cilium.direct_routing_device = decode_device(
      config.any(FieldKey("directRoutingDevice", "The device for direct routes between nodes.")),
      config);
}

/// Checks a metav1.Duration: numbers with units, as accepted by Go's time.ParseDuration.
void check_duration(Fields& fields, const char* key) {
  static const std::regex kDuration(
      "[-+]?(0|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)");
  const auto text = fields.string(FieldKey(key, "A Go duration."));
  if (text && !std::regex_match(*text, kDuration))
    fields.problems().error(fields.any(key), "bad-value",
                            fmt::format("{} must be a duration", fields.any(key).path()),
                            "write a number with its unit, such as 15s");
}

void decode_features(Fields& config, NetworkConfig& cilium) {
  cilium.hubble =
      decode_switch(config, FieldKey("hubble", "Observability with Hubble."), "false by default.");
  cilium.egress_gateway = decode_switch(
      config,
      FieldKey("egressGateway", "Egress gateways; they need the overlay and no kube-proxy."),
      "false by default.");
  cilium.bgp_control_plane = decode_switch(
      config, FieldKey("bgpControlPlane", "Announces pods' ranges over BGP."), "false by default.");
  decode_switch(config,
                FieldKey("bpfSocketLBHostnsOnly",
                         "Socket load balancing for the host only, as service meshes need it."),
                "false by default.");
  config.boolean(FieldKey("debug", "false by default."));
  config.boolean(
      FieldKey("policyAuditMode", "Network policies are logged, not enforced; false by default."));
  Fields proxy = config.fields(
      FieldKey("kubeproxy", "Where the API server is, for clusters without kube-proxy."));
  cilium.api_server_host =
      given_string(proxy, FieldKey("k8sServiceHost", "Has an effect only together with the port."));
  cilium.api_server_port = given_integer(
      proxy, FieldKey("k8sServicePort", "Has an effect only together with the host."));
  proxy.no_others();
  Fields cni = config.fields(FieldKey("cni", "Cilium's CNI plugin."));
  cilium.exclusive = given_bool(
      cni, FieldKey("exclusive",
                    "Whether it removes the configuration of other CNI plugins; true by default."));
  cni.no_others();
  Fields announcements =
      config.fields(FieldKey("l2Announcements", "Answers ARP for services' addresses."));
  cilium.l2_announcements = given_bool(announcements, FieldKey("enabled", "false by default."));
  for (const char* key : {"leaseDuration", "leaseRenewDeadline", "leaseRetryPeriod"})
    check_duration(announcements, key);
  announcements.no_others();
  config.one_of(FieldKey("store", "kubernetes is the only one."), {"kubernetes"});
}

/// Refuses fields of older releases, like the extension's strict decoding.
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
  manifest::check_overlay(config, "true: a tunnel; false: native routing, regardless of tunnel.",
                          "Without overlay: whether nodes route to each other's pods directly "
                          "(auto-direct-node-routes).");
  cilium.tunnel = given_one_of(config,
                               FieldKey("tunnel",
                                        "The tunnel's protocol; vxlan by default. disabled has an "
                                        "effect only without the overlay block."),
                               {"vxlan", "geneve", "disabled"});
  cilium.mtu = decode_mtu(config);
  cilium.load_balancing_mode =
      given_one_of(config,
                   FieldKey("loadBalancingMode",
                            "How a service's node answers: through the first node (snat, the "
                            "default) or directly; dsr needs a native routing range."),
                   {"snat", "dsr", "hybrid"});
  cilium.encryption = decode_encryption(config);
  cilium.ipv4_enabled = decode_switch(config, FieldKey("ipv4", kFromFamilies), kFromFamilies);
  cilium.ipv6_enabled = decode_switch(config, FieldKey("ipv6", kFromFamilies), kFromFamilies);
  cilium.ipv4_native_routing_cidr = given_bool(
      config,
      FieldKey("ipv4NativeRoutingCIDREnabled",
               "Whether packets to the pods' range keep their address; overwritten by overlay."));
  cilium.ipv6_native_routing_cidr =
      given_bool(config, FieldKey("ipv6NativeRoutingCIDREnabled", "The same for IPv6."));
  decode_masquerade(config, cilium);
  decode_devices(config, cilium);
  decode_features(config, cilium);
  refuse_removed(config);
  config.no_others();
  return cilium;
}

}  // namespace overlane::cilium
