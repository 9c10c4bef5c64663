#include "topologies/live/testing/live_rows.h"

namespace overlane::live::testing {

namespace {

/// The IPPool that the chart of calico's extension renders, with these encapsulation modes.
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

namespace {

constexpr const char* kRouted = "{overlay: {enabled: false}}";
constexpr const char* kOverlay = "{overlay: {enabled: true}}";

}  // namespace

std::vector<LiveRow> node_rows() {
  const std::string routed = shoot_yaml(kRouted);
  const std::string overlay = shoot_yaml(kOverlay);
  const std::string one = node_with("one", "100.96.0.0/24");
  return {
      {"live-node-without-pod-range", true, "§4.1: a node without one", routed,
       one + node_yaml("two", "")},
      {"live-node-without-pod-range", false, "§4.1: only the older field", routed,
       node_yaml("one", "podCIDR: 100.96.0.0/24")},
      {"live-node-without-pod-range", false, "§4.1: one that cannot be read", routed,
       node_yaml("one", "podCIDR: garbage, podCIDRs: [garbage]")},
      {"live-pod-range-outside", true, "§3.4: another network", routed,
       node_with("one", "100.97.0.0/24")},
      {"live-pod-range-outside", true, "§3.4: wider than the pods' range", routed,
       node_with("one", "100.96.0.0/15")},
      {"live-pod-range-outside", false, "§3.4: the last one inside", routed,
       node_with("one", "100.96.255.0/24")},
      {"live-pod-range-outside", true, "§3.1: an IPv6 range in a shoot of IPv4", routed,
       node_yaml("one", "podCIDRs: [100.96.0.0/24, \"fd00::/64\"]")},
      {"live-pod-range-outside", false, "§3.1: IPv6 ranges that the cloud gives",
       manifest::testing::ShootText{.config = kRouted,
                                    .networking = "ipFamilies: [IPv4, IPv6]\n"
                                                  "    pods: 100.96.0.0/16"}
           .yaml(),
       node_yaml("one", "podCIDRs: [100.96.0.0/24, \"fd00::/64\"]")},
      {"live-pod-range-size", true, "§3.4: half of the node mask", routed,
       node_with("one", "100.96.0.0/25")},
      {"live-pod-range-size", false, "§3.4: a mask of its own",
       shoot_yaml(kRouted, "calico", "{kubeControllerManager: {nodeCIDRMaskSize: 25}}"),
       node_with("one", "100.96.0.0/25")},
      {"live-pod-range-twice", true, "§4.1: two nodes alike", routed,
       one + node_with("two", "100.96.0.0/24")},
      {"live-pod-range-twice", false, "§4.1: two nodes", routed,
       one + node_with("two", "100.96.1.0/24")},
      {"live-pod-ranges-overlap", true, "§4.1: one holds the other", routed,
       one + node_with("two", "100.96.0.128/25")},
      {"live-pod-ranges-overlap", true, "§4.1: a wide one holds one that is no neighbour", routed,
       node_with("one", "100.96.0.0/20") + node_with("two", "100.96.1.0/24") +
           node_with("three", "100.96.9.0/24")},
      {"live-pod-ranges-overlap", false, "§4.1: side by side", routed,
       one + node_with("two", "100.96.1.0/24")},
      {"live-pod-ranges-overlap", false, "§4.1: two alike are another rule", routed,
       one + node_with("two", "100.96.0.0/24")},
      {"live-network-unavailable", true, "§4.3: no route", routed,
       node_yaml("one", "podCIDR: 100.96.0.0/24", "status: \"True\", reason: NoRouteCreated")},
      {"live-network-unavailable", true, "§2.2: calico-node is down", overlay,
       node_yaml("one", "podCIDR: 100.96.0.0/24", "status: \"True\", reason: CalicoIsDown")},
      {"live-network-unavailable", false, "§4.3: the route is there", routed,
       node_yaml("one", "podCIDR: 100.96.0.0/24", "status: \"False\", reason: RouteCreated")},
      {"live-calico-condition-left", true, "§5.4: down, and no longer updated", routed,
       node_yaml("one", "podCIDR: 100.96.0.0/24", "status: \"True\", reason: CalicoIsDown")},
      {"live-calico-condition-left", true, "§5.4: up, but not by a route", routed,
       node_yaml("one", "podCIDR: 100.96.0.0/24", "status: \"False\", reason: CalicoIsUp")},
      {"live-calico-condition-left", false, "§5.4: with an overlay it is calico's own", overlay,
       node_yaml("one", "podCIDR: 100.96.0.0/24", "status: \"False\", reason: CalicoIsUp")},
      {"unread-live-kind", true, "live: a Pod", routed, "apiVersion: v1\nkind: Pod\n"},
      {"unread-live-kind", true, "live: another group's IPPool", routed,
       "apiVersion: example.org/v1\nkind: IPPool\n"},
      {"unread-live-kind", true, "live: an empty item of a typed list", routed,
       "apiVersion: v1\nkind: NodeList\nitems:\n- null\n"},
      {"live-node-without-pod-range", false, "live: an empty item is no node", routed,
       "apiVersion: v1\nkind: NodeList\nitems:\n- null\n"},
      {"unread-live-kind", false, "live: Nodes of a typed list", routed,
       "apiVersion: v1\nkind: NodeList\nitems:\n- metadata: {name: one}\n"
       "  spec: {podCIDR: 100.96.0.0/24}\n"},
      {"live-other-network", true, "live: calico's pool in a cilium shoot",
       shoot_yaml("{}", "cilium"), pool_yaml("default-ipv4-ippool", "cidr: 100.96.0.0/16")},
      {"live-other-network", true, "live: cilium's settings in a calico shoot", overlay,
       config_map_yaml("cilium-config", "routing-mode: tunnel")},
      {"live-other-network", false, "live: another ConfigMap", overlay,
       config_map_yaml("kube-proxy", "mode: iptables")},
  };
}

}  // namespace overlane::live::testing
