#include <array>

#include "topologies/cni/calico/config.h"

namespace overlane::calico {

using document::FieldText;

std::span<const FieldText> config_texts() {
  static constexpr std::array kTexts = {
      FieldText{"apiVersion", "The release of calico's NetworkConfig."},
      FieldText{"kind", "NetworkConfig."},
      FieldText{
          "overlay",
          "Whether pods' packets are encapsulated. An empty block is not the same as no block."},
      FieldText{"overlay.enabled", "true: IPIP, or VXLAN with vxlan.enabled; false: routed."},
      FieldText{"overlay.createPodRoutes",
                "Without overlay: whether BIRD writes routes to other nodes' pods, too."},
      FieldText{"backend", "bird, vxlan or none; overwritten wherever overlay is given."},
      FieldText{"ipv4", "The pool of IPv4 addresses."},
      FieldText{"ipv4.pool", "The encapsulation of the pool; ipip by default."},
      FieldText{"ipv4.mode",
                "When packets are encapsulated; Always by default, and overwritten by overlay."},
      FieldText{"ipv4.autoDetectionMethod",
                "How a node finds its address; overwritten where the shoot has nodes."},
      FieldText{"ipv6", "The pool of IPv6 addresses."},
      FieldText{"ipv6.pool", "The encapsulation of the pool; only vxlan can be reconciled."},
      FieldText{"ipv6.mode", "When packets are encapsulated; Never by default."},
      FieldText{"ipv6.autoDetectionMethod", "How a node finds its address."},
      FieldText{"ipv6.sourceNATEnabled", "Whether packets of pods get their node's address."},
      FieldText{"vethMTU",
                "The pods' MTU in bytes, as a string; \"0\", the default, lets Calico choose."},
      FieldText{"vxlan", "VXLAN instead of IPIP."},
      FieldText{"vxlan.enabled",
                "With the overlay: VXLAN. Without it: only the IPAM changes, which breaks pods."},
      FieldText{"ebpfDataplane", "Calico's eBPF dataplane."},
      FieldText{"ebpfDataplane.enabled", "false by default."},
      FieldText{"wireguardEncryption", "Encrypts between nodes with WireGuard."},
      FieldText{"ipam", "Allocation of pod addresses."},
      FieldText{"ipam.type", "host-local by default; vxlan.enabled forces calico-ipam."},
      FieldText{"ipam.cidr", "usePodCIDR (the default) or a range, for host-local."},
      FieldText{"autoScaling", "How calico-node and Typha get their resources."},
      FieldText{"autoScaling.mode",
                "cluster-proportional by default; vpa needs the vertical pod "
                "autoscaler of the shoot."},
      FieldText{"autoScaling.resources", "Requests for mode static."},
      FieldText{"autoScaling.resources.node", "Of calico-node."},
      FieldText{"autoScaling.resources.node.cpu", "A Kubernetes quantity."},
      FieldText{"autoScaling.resources.node.memory", "A Kubernetes quantity."},
      FieldText{"autoScaling.resources.typha", "Of Typha."},
      FieldText{"autoScaling.resources.typha.cpu", "A Kubernetes quantity."},
      FieldText{"autoScaling.resources.typha.memory", "A Kubernetes quantity."},
      FieldText{"snatToUpstreamDNS", "Whether queries to the upstream DNS get the node's address."},
      FieldText{"snatToUpstreamDNS.enabled",
                "Without overlay true by default; gcp and alicloud force it off."},
      FieldText{"typha", "Typha, which reduces the load of the API server."},
      FieldText{"typha.enabled", "true by default."},
      FieldText{"birdExporter", "Metrics of BIRD."},
      FieldText{"birdExporter.enabled", "false by default."},
      FieldText{"multus", "Several networks for a pod."},
      FieldText{"multus.enabled", "false by default."},
      FieldText{"multus.installCNIPlugins", "Whether the CNI plugins that it needs are installed."},
      FieldText{"serviceLoopPrevention",
                "How Felix handles packets to services that do not exist."},
      FieldText{"ipip", "Deprecated, without effect: use ipv4.mode."},
      FieldText{"ipAutodetectionMethod",
                "Deprecated, without effect: use ipv4.autoDetectionMethod."},
  };
  return kTexts;
}

}  // namespace overlane::calico
