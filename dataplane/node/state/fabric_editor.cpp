#include "dataplane/node/state/fabric_editor.h"

#include <algorithm>

namespace overlane::node {
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

std::optional<RouteChange> refusal_of(const FabricState& state, std::uint32_t route_table,
                                      const IpPrefix& destination) {
  const RouteTable& table = state.route_tables.at(route_table);
  const auto holds = [&](const IpPrefix& cidr) { return cidr.contains(destination); };
  const bool inside = std::ranges::any_of(state.subnets, [&](const Subnet& subnet) {
    return std::ranges::any_of(subnet.cidrs, holds);
  });
  if (state.protects_subnets && inside) return RouteChange::InsideSubnet;
  const bool is_new = table.routes.find(destination) == nullptr;
  if (is_new && table.quota != 0 && is_full(table, destination.is_ipv4()))
    return RouteChange::OverQuota;
  return std::nullopt;
}

RouteChange FabricEditor::set_route(std::uint32_t route_table, const IpPrefix& destination,
                                    const FabricRoute& route) {
  if (const auto refusal = refusal_of(state_, route_table, destination)) return *refusal;
  RouteTable& table = state_.route_tables[route_table];
  const FabricRoute* present = table.routes.find(destination);
  if (present != nullptr && *present == route) return RouteChange::Unchanged;
  table.routes.set(destination, route);
  change_.destinations.push_back({route_table, destination});
  state_.generation.raise();
  return RouteChange::Set;
}

bool FabricEditor::remove_route(std::uint32_t route_table, IpPrefix destination) {
  if (route_table >= state_.route_tables.size()) return false;
  if (!state_.route_tables[route_table].routes.erase(destination)) return false;
  change_.destinations.push_back({route_table, destination});
  state_.generation.raise();
  return true;
}

bool FabricEditor::set_instance(std::uint32_t instance, Instance replacement) {
  Instance& present = state_.instances.at(instance);
  if (present == replacement) return false;
  present = std::move(replacement);
  change_.instances.push_back(instance);
  state_.generation.raise();
  return true;
}

bool FabricEditor::remove_prefix(std::uint32_t instance, const IpPrefix& prefix) {
  if (instance >= state_.instances.size()) return false;
  if (std::erase(state_.instances[instance].prefixes, prefix) == 0) return false;
  change_.instances.push_back(instance);
  state_.generation.raise();
  return true;
}

bool FabricEditor::add_rule(std::uint32_t group, FabricRule rule) {
  auto& rules = state_.groups.at(group).rules;
  if (std::ranges::find(rules, rule) != rules.end()) return false;
  rules.push_back(std::move(rule));
  change_.groups.push_back(group);
  state_.generation.raise();
  return true;
}

bool FabricEditor::remove_rule(std::uint32_t group, const FabricRule& rule) {
  if (group >= state_.groups.size()) return false;
  auto& rules = state_.groups[group].rules;
  const auto at = std::ranges::find(rules, rule);
  if (at == rules.end()) return false;
  rules.erase(at);
  change_.groups.push_back(group);
  state_.generation.raise();
  return true;
}

template <typename Member>
bool FabricEditor::set(Member FabricState::*member, Member value) {
  if (state_.*member == value) return false;
  state_.*member = std::move(value);
  change_.all = true;
  state_.generation.raise();
  return true;
}

bool FabricEditor::set_mtu(std::uint32_t mtu) {
  return set(&FabricState::mtu, mtu);
}

bool FabricEditor::set_path_mtu(const FabricPathMtu& path_mtu) {
  return set(&FabricState::path_mtu, path_mtu);
}

bool FabricEditor::set_denied(std::vector<DenyRule> denied) {
  return set(&FabricState::denied, std::move(denied));
}

bool FabricEditor::set_drops_disordered_fragments(bool drops) {
  return set(&FabricState::drops_disordered_fragments, drops);
}

bool FabricEditor::set_dropped_protocols(std::vector<std::uint8_t> protocols) {
  return set(&FabricState::dropped_protocols, std::move(protocols));
}

}  // namespace overlane::node
