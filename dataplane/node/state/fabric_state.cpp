#include "dataplane/node/state/fabric_state.h"

#include <algorithm>

namespace overlane::node {
std::string_view to_string(FabricTarget target) {
  switch (target) {
    case FabricTarget::Local:
      return "local";
    case FabricTarget::Instance:
      return "instance";
    case FabricTarget::Blackhole:
      return "blackhole";
    case FabricTarget::Internet:
      return "internet";
    case FabricTarget::Foreign:
      return "foreign instance";
  }
  return "";
}

std::string_view to_string(FabricRouteOwner owner) {
  switch (owner) {
    case FabricRouteOwner::System:
      return "system";
    case FabricRouteOwner::Infrastructure:
      return "infrastructure";
    case FabricRouteOwner::RouteController:
      return "route controller";
    case FabricRouteOwner::User:
      return "user";
    case FabricRouteOwner::Bgp:
      return "BGP";
  }
  return "";
}

bool Instance::owns(IpAddress address) const {
  return std::ranges::find(addresses, address) != addresses.end() ||
         std::ranges::any_of(prefixes,
                             [=](const IpPrefix& prefix) { return prefix.contains(address); });
}

bool FabricState::operator==(const FabricState& other) const {
  return name == other.name && mtu == other.mtu && path_mtu == other.path_mtu &&
         egress_mtu == other.egress_mtu && denied == other.denied && subnets == other.subnets &&
         route_tables == other.route_tables && instances == other.instances &&
         groups == other.groups && dropped_protocols == other.dropped_protocols &&
         drops_disordered_fragments == other.drops_disordered_fragments &&
         decrementing_hops == other.decrementing_hops &&
         honours_next_hop == other.honours_next_hop &&
         link_layer_answers == other.link_layer_answers &&
         protects_subnets == other.protects_subnets;
}

std::optional<IpAddress> router(const Subnet& subnet, bool ipv4) {
  for (const IpPrefix& cidr : subnet.cidrs)
    if (cidr.is_ipv4() == ipv4) return cidr.network() + 1;
  return std::nullopt;
}

std::string_view zone_of(const FabricState& state, const Instance& instance) {
  const std::string& zone = state.subnets.at(instance.subnet).zone;
  return zone.empty() ? instance.zone : zone;
}

std::uint32_t path_mtu(const FabricState& state, const Instance& from, const Instance& to) {
  const FabricPathMtu& path = state.path_mtu;
  if (path.within_zone == 0 && path.across_zones == 0) return state.mtu;
  const bool within = zone_of(state, from) == zone_of(state, to);
  const std::uint32_t bytes = within ? path.within_zone : path.across_zones;
  return bytes == 0 ? state.mtu : std::min(bytes, state.mtu);
}

}  // namespace overlane::node
