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
         denied == other.denied && subnets == other.subnets && route_tables == other.route_tables &&
         instances == other.instances && groups == other.groups &&
         dropped_protocols == other.dropped_protocols &&
         drops_disordered_fragments == other.drops_disordered_fragments &&
         decrementing_hops == other.decrementing_hops &&
         honours_next_hop == other.honours_next_hop &&
         link_layer_answers == other.link_layer_answers &&
         protects_subnets == other.protects_subnets;
}

namespace {

/// Whether the quota leaves no room for another route of the family.
bool is_full(const RouteTable& table, bool ipv4) {
  if (table.routes.size() + table.counted_others < table.quota) return false;
  const auto counts = [&](const auto& entry) {
    const FabricRouteOwner owner = entry.second.owner;
    return (owner == FabricRouteOwner::RouteController || owner == FabricRouteOwner::User) &&
           (table.families_share_quota || entry.first.is_ipv4() == ipv4);
  };
  const auto counted = static_cast<std::uint64_t>(std::ranges::count_if(table.routes, counts));
  return counted + table.counted_others >= table.quota;
}

}  // namespace

RouteChange set_route(FabricState& state, std::uint32_t route_table, const IpPrefix& destination,
                      const FabricRoute& route) {
  RouteTable& table = state.route_tables.at(route_table);
  const auto holds = [&](const IpPrefix& cidr) { return cidr.contains(destination); };
  const bool inside = std::ranges::any_of(state.subnets, [&](const Subnet& subnet) {
    return std::ranges::any_of(subnet.cidrs, holds);
  });
  if (state.protects_subnets && inside) return RouteChange::InsideSubnet;
  const bool is_new = table.routes.find(destination) == nullptr;
  if (is_new && table.quota != 0 && is_full(table, destination.is_ipv4()))
    return RouteChange::OverQuota;
  table.routes.set(destination, route);
  ++state.generation;
  return RouteChange::Set;
}

std::optional<IpAddress> router(const Subnet& subnet, bool ipv4) {
  for (const IpPrefix& cidr : subnet.cidrs)
    if (cidr.is_ipv4() == ipv4) return cidr.network() + 1;
  return std::nullopt;
}

std::uint32_t path_mtu(const FabricState& state, const Instance& from, const Instance& to) {
  const FabricPathMtu& path = state.path_mtu;
  if (path.within_zone == 0 && path.across_zones == 0) return state.mtu;
  const bool within = state.subnets.at(from.subnet).zone == state.subnets.at(to.subnet).zone;
  const std::uint32_t bytes = within ? path.within_zone : path.across_zones;
  return bytes == 0 ? state.mtu : std::min(bytes, state.mtu);
}

bool remove_route(FabricState& state, std::uint32_t route_table, const IpPrefix& destination) {
  if (route_table >= state.route_tables.size()) return false;
  if (!state.route_tables[route_table].routes.erase(destination)) return false;
  ++state.generation;
  return true;
}

bool remove_prefix(FabricState& state, std::uint32_t instance, const IpPrefix& prefix) {
  if (instance >= state.instances.size()) return false;
  if (std::erase(state.instances[instance].prefixes, prefix) == 0) return false;
  ++state.generation;
  return true;
}

bool remove_rule(FabricState& state, std::uint32_t group, const FabricRule& rule) {
  if (group >= state.groups.size()) return false;
  auto& rules = state.groups[group].rules;
  const auto at = std::ranges::find(rules, rule);
  if (at == rules.end()) return false;
  rules.erase(at);
  ++state.generation;
  return true;
}

}  // namespace overlane::node
