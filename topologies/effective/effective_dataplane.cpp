#include "topologies/effective/effective_dataplane.h"

#include <fmt/format.h>

namespace overlane::effective {

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::Create:
      return "create";
    case Stage::Live:
      return "live";
  }
  return "";
}

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::Overlay:
      return "overlay";
    case Mode::Routed:
      return "routed";
  }
  return "";
}

std::string_view to_string(Encapsulation encapsulation) {
  switch (encapsulation) {
    case Encapsulation::None:
      return "none";
    case Encapsulation::Ipip:
      return "ipip";
    case Encapsulation::Vxlan:
      return "vxlan";
    case Encapsulation::Geneve:
      return "geneve";
  }
  return "";
}

std::string_view to_string(Backend backend) {
  switch (backend) {
    case Backend::Bird:
      return "bird";
    case Backend::Vxlan:
      return "vxlan";
    case Backend::None:
      return "none";
    case Backend::Tunnel:
      return "tunnel";
    case Backend::Native:
      return "native";
  }
  return "";
}

std::string_view to_string(RoutesBy routes_by) {
  switch (routes_by) {
    case RoutesBy::CloudRouteTable:
      return "cloud-route-table";
    case RoutesBy::CloudInterface:
      return "cloud-interface";
    case RoutesBy::Bgp:
      return "bgp";
    case RoutesBy::Felix:
      return "felix";
    case RoutesBy::Cilium:
      return "cilium";
    case RoutesBy::DirectNodeRoutes:
      return "direct-node-routes";
    case RoutesBy::None:
      return "none";
  }
  return "";
}

std::string_view to_string(CloudRoutes cloud_routes) {
  switch (cloud_routes) {
    case CloudRoutes::Written:
      return "written";
    case CloudRoutes::NotWritten:
      return "not-written";
    case CloudRoutes::NotNeeded:
      return "not-needed";
  }
  return "";
}

std::string_view to_string(ServiceRouting service_routing) {
  switch (service_routing) {
    case ServiceRouting::KubeProxyIptables:
      return "kube-proxy-iptables";
    case ServiceRouting::KubeProxyIpvs:
      return "kube-proxy-ipvs";
    case ServiceRouting::KubeProxyNftables:
      return "kube-proxy-nftables";
    case ServiceRouting::CalicoEbpf:
      return "calico-ebpf";
    case ServiceRouting::Cilium:
      return "cilium";
    case ServiceRouting::NetworkExtension:
      return "network-extension";
  }
  return "";
}

std::string_view to_string(Encryption encryption) {
  switch (encryption) {
    case Encryption::None:
      return "none";
    case Encryption::WireGuard:
      return "wireguard";
  }
  return "";
}

std::string_view to_string(RoutingDomain::Sharing sharing) {
  switch (sharing) {
    case RoutingDomain::Sharing::None:
      return "none";
    case RoutingDomain::Sharing::Sure:
      return "sure";
    case RoutingDomain::Sharing::Possible:
      return "possible";
    case RoutingDomain::Sharing::Declared:
      return "declared";
  }
  return "";
}

}  // namespace overlane::effective
