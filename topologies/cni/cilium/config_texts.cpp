#include <array>

#include "topologies/cni/cilium/config.h"

namespace overlane::cilium {

using document::FieldText;

std::span<const FieldText> config_texts() {
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
