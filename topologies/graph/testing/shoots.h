#pragma once

#include <string>
#include <vector>

#include "topologies/effective/effective_dataplane.h"

namespace overlane::graph::testing {

inline Ipv4Prefix prefix(const char* text) {
  return Ipv4Prefix::parse(text).value();
}
inline Ipv4Address address(const char* text) {
  return Ipv4Address::parse(text).value();
}

/// A calico shoot on AWS with pods 100.96.0.0/11, nodes 10.250.0.0/16 and /24 slices, routed.
inline effective::EffectiveDataplane routed_shoot(std::vector<std::string> zones = {"a", "b"}) {
  effective::EffectiveDataplane shoot;
  shoot.name = "shop";
  shoot.namespace_ = "garden-dev";
  shoot.provider = effective::Provider::Aws;
  shoot.pods = {prefix("100.96.0.0/11")};
  shoot.services = {prefix("100.64.0.0/13")};
  shoot.nodes = {prefix("10.250.0.0/16")};
  shoot.zones = std::move(zones);
  shoot.dataplane = {.mode = effective::Mode::Routed,
                     .backend = effective::Backend::None,
                     .routes_by = effective::RoutesBy::CloudRouteTable,
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

inline effective::EffectiveDataplane cross_subnet_shoot() {
  effective::EffectiveDataplane shoot = ipip_shoot();
  shoot.dataplane.cross_subnet = true;
  return shoot;
}

}  // namespace overlane::graph::testing
