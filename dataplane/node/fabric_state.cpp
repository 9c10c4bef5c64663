#include "dataplane/node/fabric_state.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane::node {
namespace {

std::string to_string(const FabricState& state, const IpPrefix& destination,
                      const FabricRoute& route) {
  const std::string target = route.target == FabricTarget::Instance
                                 ? state.instances.at(route.instance).name
                                 : std::string(to_string(route.target));
  return fmt::format("  {} -> {} ({})\n", destination.to_string(), target, to_string(route.owner));
}

std::string to_string(const FabricState& state, const Instance& instance) {
  std::string text = fmt::format("instance {}", instance.name);
  for (const IpAddress address : instance.addresses)
    text += fmt::format(" {}", address.to_string());
  text += instance.source_destination_check ? " source/destination check on"
                                            : " source/destination check off";
  for (const IpPrefix& prefix : instance.allowed)
    text += fmt::format(" allows {}", prefix.to_string());
  for (const std::uint32_t group : instance.groups)
    text += fmt::format(" group {}", state.groups.at(group).name);
  return text + '\n';
}

}  // namespace

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

bool FabricState::operator==(const FabricState& other) const {
  return name == other.name && mtu == other.mtu && subnets == other.subnets &&
         route_tables == other.route_tables && instances == other.instances &&
         groups == other.groups && dropped_protocols == other.dropped_protocols &&
         drops_disordered_fragments == other.drops_disordered_fragments &&
         decrementing_hops == other.decrementing_hops &&
         honours_next_hop == other.honours_next_hop && protects_subnets == other.protects_subnets;
}

RouteChange set_route(FabricState& state, std::uint32_t route_table, const IpPrefix& destination,
                      const FabricRoute& route) {
  RouteTable& table = state.route_tables.at(route_table);
  const auto holds = [&](const IpPrefix& cidr) { return cidr.contains(destination); };
  const bool inside = std::ranges::any_of(state.subnets, [&](const Subnet& subnet) {
    return std::ranges::any_of(subnet.cidrs, holds);
  });
  if (state.protects_subnets && inside) return RouteChange::InsideSubnet;
  const bool is_new = table.routes.find(destination) == nullptr;
  if (is_new && table.quota != 0 && table.routes.size() >= table.quota) {
    return RouteChange::OverQuota;
  }
  table.routes.set(destination, route);
  ++state.generation;
  return RouteChange::Set;
}

std::optional<IpAddress> router(const Subnet& subnet, bool ipv4) {
  for (const IpPrefix& cidr : subnet.cidrs)
    if (cidr.is_ipv4() == ipv4) return cidr.network() + 1;
  return std::nullopt;
}

bool remove_route(FabricState& state, std::uint32_t route_table, const IpPrefix& destination) {
  if (route_table >= state.route_tables.size()) return false;
  if (!state.route_tables[route_table].routes.erase(destination)) return false;
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

std::string to_string(const FabricState& state) {
  std::string text = fmt::format("vpc {} mtu {}\n", state.name, state.mtu);
  for (const Subnet& subnet : state.subnets) {
    text += fmt::format("subnet {}", subnet.name);
    for (const IpPrefix& cidr : subnet.cidrs)
      text += fmt::format(" {}", cidr.to_string());
    text += fmt::format(" zone {} table {}\n", subnet.zone,
                        state.route_tables.at(subnet.route_table).name);
  }
  for (const RouteTable& table : state.route_tables) {
    text += fmt::format("table {} {} routes", table.name, table.routes.size());
    text += table.quota == 0 ? "\n" : fmt::format(" of {}\n", table.quota);
    for (const auto& [destination, route] : table.routes)
      text += to_string(state, destination, route);
  }
  for (const Instance& instance : state.instances)
    text += to_string(state, instance);
  for (const SecurityGroup& group : state.groups)
    text += to_string(group);
  for (const std::uint8_t protocol : state.dropped_protocols)
    text += fmt::format("drops protocol {}\n", protocol);
  if (state.drops_disordered_fragments) text += "drops fragments that come out of order\n";
  return text;
}

}  // namespace overlane::node
