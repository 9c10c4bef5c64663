#include <fmt/format.h>

#include "topologies/manifest/network_config_decoders.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Value;

/// Linux interface names (IFNAMSIZ): at most 15 characters, no slash, no blank.
void check_device(const Value& device, Fields& config) {
  const auto name = read_string(device, config.problems());
  if (!name) return;
  if (!name->empty() && name->size() <= 15 && name->find_first_of("/ \t\n") == name->npos) return;
  config.problems().error(device, "bad-value", fmt::format("{} is no device name", device.path()),
                          "at most 15 characters, no slash, no blank");
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

Field<bool> decode_encryption(Fields& config) {
  Fields encryption = config.fields("encryption");
  encryption.one_of("mode", {"wireguard"});
  const Field<bool> enabled = given(encryption.any("enabled"), encryption.boolean("enabled"));
  encryption.boolean("nodeToNodeEnabled");
  encryption.ignore({"strictMode"});
  encryption.no_others();
  return enabled;
}

/// The blocks that do not decide the path of a packet between nodes.
void check_features(Fields& config) {
  for (const char* key :
       {"hubble", "ipv4", "ipv6", "bpfSocketLBHostnsOnly", "egressGateway", "bgpControlPlane"})
    decode_switch(config, key);
  for (const char* key : {"debug", "ipv4NativeRoutingCIDREnabled", "ipv6NativeRoutingCIDREnabled",
                          "enableIpv6Masquerade", "policyAuditMode"})
    config.boolean(key);
  Fields proxy = config.fields("kubeproxy");
  proxy.string("k8sServiceHost");
  proxy.integer("k8sServicePort");
  proxy.no_others();
  Fields cni = config.fields("cni");
  cni.boolean("exclusive");
  cni.no_others();
  Fields announcements = config.fields("l2Announcements");
  announcements.boolean("enabled");
  announcements.ignore({"leaseDuration", "leaseRenewDeadline", "leaseRetryPeriod"});
  announcements.no_others();
  config.one_of("store", {"kubernetes"});
}

}  // namespace

CiliumConfig decode_cilium(Fields& config) {
  CiliumConfig cilium;
  cilium.overlay = decode_overlay(config);
  cilium.tunnel =
      given(config.any("tunnel"), config.one_of("tunnel", {"vxlan", "geneve", "disabled"}));
  cilium.mtu = decode_mtu(config);
  cilium.load_balancing_mode = given(config.any("loadBalancingMode"),
                                     config.one_of("loadBalancingMode", {"snat", "dsr", "hybrid"}));
  cilium.wireguard = decode_encryption(config);
  const auto boolean = [&](const char* key) { return given(config.any(key), config.boolean(key)); };
  cilium.ipv4_masquerade = boolean("enableIpv4Masquerade");
  cilium.bpf_masquerade = boolean("enableBPFMasquerade");
  cilium.snat_to_upstream_dns = decode_switch(config, "snatToUpstreamDNS");
  cilium.snat_out_of_cluster = decode_switch(config, "snatOutOfCluster");
  for (Value device : config.list("devices"))
    check_device(device, config);
  check_device(config.any("directRoutingDevice"), config);
  check_features(config);
  config.no_others();
  return cilium;
}

}  // namespace overlane::manifest
