#pragma once

#include <string>
#include <vector>

#include "topologies/effective/effective_dataplane.h"

// Effective dataplanes of example shoots for tests, one per dataplane mode, and functions that
// change one aspect of a shoot: families, encryption, provider. No manifest is derived for them, so
// that fields which a test does not need have their defaults.
namespace overlane::graph::testing {

inline Ipv4Prefix prefix(const char* text) {
  return Ipv4Prefix::parse(text).value();
}
inline Ipv4Address address(const char* text) {
  return Ipv4Address::parse(text).value();
}

/// A calico shoot on AWS with pods 100.96.0.0/11, nodes 10.250.0.0/16 and /24 pod CIDRs, routed.
inline effective::EffectiveDataplane routed_shoot(std::vector<std::string> zones = {"a", "b"}) {
  effective::EffectiveDataplane shoot;
  shoot.name = "shop";
  shoot.cni = "calico";
  shoot.namespace_ = "garden-dev";
  shoot.provider = effective::Provider::Aws;
  shoot.pods = {prefix("100.96.0.0/11")};
  shoot.services = {prefix("100.64.0.0/13")};
  shoot.nodes = {prefix("10.250.0.0/16")};
  shoot.zones = std::move(zones);
  shoot.dataplane = {.mode = effective::Mode::Routed,
                     .backend = effective::Backend::None,
                     .routes_by = effective::RoutesBy::CloudRouteTable,
                     .cloud_routes = effective::CloudRoutes::Written,
                     .link_mtu = 1500,
                     .pod_mtu = 1500};
  return shoot;
}

inline effective::EffectiveDataplane ipip_shoot(std::vector<std::string> zones = {"a", "b"}) {
  effective::EffectiveDataplane shoot = routed_shoot(std::move(zones));
  shoot.dataplane = {.mode = effective::Mode::Overlay,
                     .encapsulation = effective::Encapsulation::Ipip,
                     .backend = effective::Backend::Bird,
                     .routes_by = effective::RoutesBy::Bgp,
                     .link_mtu = 1500,
                     .pod_mtu = 1480,
                     .tunnel_mtu = 1480,
                     .overhead_bytes = 20};
  return shoot;
}

/// `shoot` on a provider with a route controller that also runs with an overlay.
inline effective::EffectiveDataplane with_cloud_routes(effective::EffectiveDataplane shoot) {
  shoot.dataplane.cloud_routes = effective::CloudRoutes::Written;
  return shoot;
}

inline effective::EffectiveDataplane vxlan_shoot(std::vector<std::string> zones = {"a", "b"}) {
  effective::EffectiveDataplane shoot = routed_shoot(std::move(zones));
  shoot.dataplane = {.mode = effective::Mode::Overlay,
                     .encapsulation = effective::Encapsulation::Vxlan,
                     .backend = effective::Backend::Vxlan,
                     .routes_by = effective::RoutesBy::Felix,
                     .link_mtu = 1500,
                     .pod_mtu = 1450,
                     .tunnel_mtu = 1450,
                     .overhead_bytes = 50};
  return shoot;
}

/// `shoot` with Felix as the writer of the nodes' routes, as in Calico 3.33 or newer.
inline effective::EffectiveDataplane by_felix(effective::EffectiveDataplane shoot) {
  shoot.dataplane.routes_by = effective::RoutesBy::Felix;
  return shoot;
}

/// Routed with createPodRoutes: BIRD without a tunnel, in addition to the cloud's routes.
inline effective::EffectiveDataplane bird_routes_shoot() {
  effective::EffectiveDataplane shoot = routed_shoot();
  shoot.dataplane.backend = effective::Backend::Bird;
  shoot.dataplane.routes_by = effective::RoutesBy::Bgp;
  return shoot;
}

inline effective::EffectiveDataplane cilium_native_shoot() {
  effective::EffectiveDataplane shoot = routed_shoot();
  shoot.cni = "cilium";
  shoot.agent = effective::NodeAgent::CiliumAgent;
  shoot.dataplane.backend = effective::Backend::Native;
  shoot.dataplane.service_routing = effective::ServiceRouting::Cilium;
  return shoot;
}

inline effective::EffectiveDataplane cilium_direct_routes_shoot() {
  effective::EffectiveDataplane shoot = cilium_native_shoot();
  shoot.dataplane.routes_by = effective::RoutesBy::DirectNodeRoutes;
  return shoot;
}

inline effective::EffectiveDataplane cilium_tunnel_shoot(effective::Encapsulation encapsulation) {
  effective::EffectiveDataplane shoot = cilium_native_shoot();
  shoot.dataplane = {.mode = effective::Mode::Overlay,
                     .encapsulation = encapsulation,
                     .backend = effective::Backend::Tunnel,
                     .routes_by = effective::RoutesBy::Cilium,
                     .service_routing = effective::ServiceRouting::Cilium,
                     .link_mtu = 1500,
                     .pod_mtu = 1450,
                     .pod_device_mtu = 1500,
                     .tunnel_mtu = 1500,
                     .overhead_bytes = 50};
  return shoot;
}

/// `shoot` with WireGuard between the nodes.
inline effective::EffectiveDataplane encrypted(effective::EffectiveDataplane shoot) {
  const bool calico = shoot.agent == effective::NodeAgent::CalicoNode;
  const std::uint32_t overhead = calico ? 60 : 95;
  effective::Dataplane& dataplane = shoot.dataplane;
  dataplane.encryption = effective::Encryption::WireGuard;
  dataplane.pod_mtu = dataplane.wireguard_mtu = dataplane.link_mtu - overhead;
  if (dataplane.tunnel_mtu != 0 && calico) dataplane.tunnel_mtu = dataplane.pod_mtu;
  if (!calico) dataplane.pod_device_mtu = dataplane.link_mtu;
  dataplane.overhead_bytes = overhead;
  return shoot;
}

/// `shoot` in dual-stack, on a provider without rules of its own and with a subnet per zone.
inline effective::EffectiveDataplane dual_stack(effective::EffectiveDataplane shoot) {
  shoot.provider = effective::Provider::Other;
  shoot.ip_families = {"IPv4", "IPv6"};
  shoot.pods.push_back(IpPrefix::parse("fd00:96::/48").value());
  shoot.nodes.push_back(IpPrefix::parse("fd00:10::/56").value());
  shoot.secondary_dataplane = shoot.dataplane;
  return shoot;
}

/// `shoot` in dual-stack with IPv6 as AWS and GCP allocate it: from the nodes' subnets, to the
/// nodes' interfaces.
inline effective::EffectiveDataplane dual_stack_on(effective::Provider provider,
                                                   effective::EffectiveDataplane shoot) {
  const bool gcp = provider == effective::Provider::Gcp;
  shoot = dual_stack(std::move(shoot));
  shoot.provider = provider;
  shoot.pods.back() = shoot.nodes.back() =
      IpPrefix::parse(gcp ? "2001:db8::/64" : "2001:db8::/56").value();
  shoot.services.push_back(IpPrefix::parse("2001:db8:0:ff::10:0/108").value());
  if (gcp) shoot.dataplane.routes_by = effective::RoutesBy::CloudInterface;
  shoot.secondary_dataplane->routes_by = effective::RoutesBy::CloudInterface;
  return shoot;
}

/// A dual-stack `shoot` without IPv4.
inline effective::EffectiveDataplane ipv6_only(effective::EffectiveDataplane shoot) {
  shoot.ip_families = {"IPv6"};
  shoot.dataplane = *shoot.secondary_dataplane;
  shoot.secondary_dataplane.reset();
  for (auto* ranges : {&shoot.pods, &shoot.services, &shoot.nodes})
    std::erase_if(*ranges, [](const IpPrefix& range) { return range.is_ipv4(); });
  return shoot;
}

/// `shoot` with the families in the other order.
inline effective::EffectiveDataplane ipv6_first(effective::EffectiveDataplane shoot) {
  shoot.ip_families = {"IPv6", "IPv4"};
  std::swap(shoot.dataplane, *shoot.secondary_dataplane);
  return shoot;
}

inline effective::EffectiveDataplane cross_subnet_shoot() {
  effective::EffectiveDataplane shoot = ipip_shoot();
  shoot.dataplane.cross_subnet = true;
  return shoot;
}

}  // namespace overlane::graph::testing
