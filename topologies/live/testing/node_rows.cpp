#include "topologies/live/testing/live_rows.h"
#include "topologies/live/testing/live_texts.h"

namespace overlane::live::testing {
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
