#include "topologies/live/testing/live_rows.h"
#include "topologies/live/testing/live_texts.h"

namespace overlane::live::testing {
namespace {

/// The default pool as the chart renders it, with other modes.
std::string pool(const std::string& ipip, const std::string& vxlan) {
  return pool_yaml("default-ipv4-ippool",
                   "cidr: 100.96.0.0/16, blockSize: 26, natOutgoing: true, ipipMode: " + ipip +
                       ", vxlanMode: " + vxlan);
}

std::string pool_with(const std::string& spec) {
  return pool_yaml("default-ipv4-ippool", "ipipMode: Always, vxlanMode: Never, " + spec);
}

const std::string& nodes_pool() {
  static const std::string kText =
      pool_yaml("no-snat-for-node-cidr", "cidr: 10.250.0.0/16, disabled: true");
  return kText;
}

}  // namespace

std::vector<LiveRow> calico_rows() {
  const std::string routed = shoot_yaml("{overlay: {enabled: false}}");
  const std::string ipip = shoot_yaml("{overlay: {enabled: true}}");
  const std::string vxlan = shoot_yaml("{overlay: {enabled: true}, vxlan: {enabled: true}}");
  const std::string ebpf =
      shoot_yaml("{overlay: {enabled: false}, ebpfDataplane: {enabled: true}}");
  const std::string mtu = shoot_yaml("{overlay: {enabled: true}, vethMTU: \"1440\"}");
  return {
      {"live-pool-mode", true, "T4: IPIP where it is off", routed, pool("Always", "Never")},
      {"live-pool-mode", true, "T2: VXLAN for IPIP", ipip, pool("Never", "Always")},
      {"live-pool-mode", true, "T2: no modes at all", ipip,
       pool_yaml("default-ipv4-ippool", "cidr: 100.96.0.0/16")},
      {"live-pool-mode", false, "T2: IPIP", ipip, pool("Always", "Never")},
      {"live-pool-mode", false, "T3: VXLAN", vxlan, pool("Never", "Always")},
      {"live-pool-mode", false, "T4: routed", routed, pool("Never", "Never") + nodes_pool()},
      {"live-pool-range", true, "§2.2: another range", ipip,
       pool_with("natOutgoing: true, cidr: 100.97.0.0/16")},
      {"live-pool-range", true, "§2.2: all pools are disabled", ipip,
       pool_with("natOutgoing: true, cidr: 100.96.0.0/16, disabled: true")},
      {"live-pool-range", false, "§2.2: the pods' range", ipip,
       pool_with("natOutgoing: true, cidr: 100.96.0.0/16")},
      {"live-pool-nat", true, "§2.2: it is off", ipip,
       pool_with("natOutgoing: false, cidr: 100.96.0.0/16")},
      {"live-pool-nat", true, "§2.2: it is not there", ipip, pool_with("cidr: 100.96.0.0/16")},
      {"live-pool-nat", false, "§2.2: it is on", ipip,
       pool_with("natOutgoing: true, cidr: 100.96.0.0/16")},
      {"live-pool-block-size", true, "§2.2: /24", ipip,
       pool_with("blockSize: 24, cidr: 100.96.0.0/16")},
      {"live-pool-block-size", true, "§2.2: /120 of IPv6", ipip,
       pool_with("blockSize: 120, cidr: \"fd00::/64\"")},
      {"live-pool-block-size", false, "§2.2: /26 and /122", ipip,
       pool_with("blockSize: 26, cidr: 100.96.0.0/16") +
           pool_yaml("default-ipv6-ippool", "blockSize: 122, cidr: \"fd00::/64\"")},
      {"live-nodes-pool", true, "§2.2: it is missing", routed, pool("Never", "Never")},
      {"live-nodes-pool", true, "§2.2: it is not disabled", routed,
       pool("Never", "Never") + pool_yaml("nodes", "cidr: 10.250.0.0/16")},
      {"live-nodes-pool", false, "§2.2: it is there", routed,
       pool("Never", "Never") + nodes_pool()},
      {"live-nodes-pool", false, "§2.2: an overlay needs none", ipip, pool("Always", "Never")},
      {"live-felix-setting", true, "T4: IPIP is on", routed,
       calico_node_yaml("FELIX_IPINIPENABLED", "true")},
      {"live-felix-setting", true, "T2: IPIP is off by a FelixConfiguration", ipip,
       felix_yaml("ipipEnabled: false")},
      {"live-felix-setting", true, "T3: VXLAN is off", vxlan,
       calico_node_yaml("FELIX_VXLANENABLED", "false")},
      {"live-felix-setting", true, "T4: eBPF is on", routed,
       calico_node_yaml("FELIX_BPFENABLED", "true")},
      {"live-felix-setting", false, "T4: the environment counts more", routed,
       calico_node_yaml("FELIX_IPINIPENABLED", "false") + felix_yaml("ipipEnabled: true")},
      {"live-felix-setting", false, "T4: eBPF as asked for", ebpf,
       calico_node_yaml("FELIX_BPFENABLED", "true")},
      {"live-calico-backend", true, "T4: bird", routed,
       config_map_yaml("calico-config", "calico_backend: bird")},
      {"live-calico-backend", false, "T4: none", routed,
       config_map_yaml("calico-config", "calico_backend: none")},
      {"live-calico-backend", false, "T3: vxlan", vxlan,
       config_map_yaml("calico-config", "calico_backend: vxlan")},
      {"live-veth-mtu", true, "§2.4: 1500 for automatic", ipip,
       config_map_yaml("calico-config", "veth_mtu: \"1500\"")},
      {"live-veth-mtu", true, "§2.4: automatic for 1440", mtu,
       config_map_yaml("calico-config", "veth_mtu: \"0\"")},
      {"live-veth-mtu", false, "§2.4: 1440 for 1440", mtu,
       config_map_yaml("calico-config", "veth_mtu: \"1440\"")},
  };
}

std::vector<LiveRow> cilium_rows() {
  const std::string tunnel = shoot_yaml("{overlay: {enabled: true}, tunnel: geneve}", "cilium");
  const std::string native = shoot_yaml("{overlay: {enabled: false}}", "cilium");
  const std::string direct =
      shoot_yaml("{overlay: {enabled: false, createPodRoutes: true}}", "cilium");
  const auto config = [](const char* data) { return config_map_yaml("cilium-config", data); };
  return {
      {"live-cilium-routing", true, "§2.5: native for a tunnel", tunnel,
       config("routing-mode: native")},
      {"live-cilium-routing", true, "§2.5: another tunnel", tunnel,
       config("routing-mode: tunnel, tunnel-protocol: vxlan")},
      {"live-cilium-routing", false, "§2.5: Geneve", tunnel,
       config("routing-mode: tunnel, tunnel-protocol: geneve")},
      {"live-cilium-native-range", true, "§2.5: another range", native,
       config("ipv4-native-routing-cidr: 100.97.0.0/16")},
      {"live-cilium-native-range", false, "§2.5: the pods' range", native,
       config("ipv4-native-routing-cidr: 100.96.0.0/16")},
      {"live-cilium-direct-routes", true, "§2.5: none where they are asked for", direct,
       config("auto-direct-node-routes: \"false\"")},
      {"live-cilium-direct-routes", true, "§2.5: some where none are asked for", native,
       config("auto-direct-node-routes: \"true\"")},
      {"live-cilium-direct-routes", false, "§2.5: as asked for", direct,
       config("auto-direct-node-routes: \"true\"")},
  };
}

}  // namespace overlane::live::testing
