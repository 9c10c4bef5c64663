#include "dataplane/node/state/world.h"

#include <algorithm>
#include <cassert>
#include <functional>

namespace overlane::node {

bool WorldEditor::stop_node(std::uint32_t number) {
  if (!world_.stopped.insert(number).second) return false;
  change_.stopped.push_back(number);
  return true;
}

bool WorldEditor::start_node(std::uint32_t number) {
  if (world_.stopped.erase(number) == 0) return false;
  change_.started.push_back(number);
  return true;
}

bool WorldEditor::end_pod(const PodPlace& place) {
  if (!node(place.node).remove_pod(place.address)) return false;
  change_.ended.push_back(place);
  return true;
}

void WorldEditor::restart_pod(const PodPlace& before, std::uint32_t number, const LocalPod& pod) {
  const PodPlace now{number, pod.address};
  if (before != now) node(before.node).remove_pod(before.address);
  node(number).set_pod(pod);
  change_.restarted.push_back({before, now});
}

namespace {

/// Replaces the element of a sorted vector that has the value's key, or inserts the value. Returns
/// false if an equal element is there already.
template <typename Value, typename Key>
bool put(std::vector<Value>& values, Value value, Key Value::*key) {
  const auto at = std::ranges::lower_bound(values, value.*key, {}, key);
  if (at == values.end() || (*at).*key != value.*key) {
    values.insert(at, std::move(value));
    return true;
  }
  if (*at == value) return false;
  *at = std::move(value);
  return true;
}

template <typename Value, typename Key, typename Projection = std::identity>
bool take_out(std::vector<Value>& values, const Key& wanted, Projection key = {}) {
  const auto at = std::ranges::lower_bound(values, wanted, {}, key);
  if (at == values.end() || std::invoke(key, *at) != wanted) return false;
  values.erase(at);
  return true;
}

/// Returns whether the quota leaves no room for another route of the family.
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

bool NodeEditor::set_route(const IpPrefix& destination, Route route) {
  const auto derived = derived_route(state_, destination);
  const auto before = find_route(state_, destination);
  bool changed = false;
  if (derived && derived->route == route) {
    changed = take_out(state_.removed, destination);
    changed |= state_.routes.erase(destination);
  } else {
    const Route* own = state_.routes.find(destination);
    changed = own == nullptr || *own != route;
    if (changed) state_.routes.set(destination, std::move(route));
  }
  if (!changed) return false;
  if (before) change_.routes_before.try_emplace(destination, before->route);
  change_.destinations.push_back(destination);
  state_.generation.raise();
  return true;
}

bool NodeEditor::remove_route(IpPrefix destination) {
  const auto before = find_route(state_, destination);
  const bool was_own = state_.routes.erase(destination);
  const auto at = std::ranges::lower_bound(state_.removed, destination);
  const bool is_removed = at != state_.removed.end() && *at == destination;
  const bool was_derived = !is_removed && derived_route(state_, destination).has_value();
  if (was_derived) state_.removed.insert(at, destination);
  if (!was_own && !was_derived) return false;
  if (before) change_.routes_before.try_emplace(destination, before->route);
  change_.destinations.push_back(destination);
  state_.generation.raise();
  return true;
}

bool NodeEditor::restore_route(const IpPrefix& destination) {
  if (!take_out(state_.removed, destination)) return false;
  change_.destinations.push_back(destination);
  state_.generation.raise();
  return true;
}

bool NodeEditor::add_local_route(const IpPrefix& destination) {
  const auto at = std::ranges::lower_bound(state_.local_routes, destination);
  if (at != state_.local_routes.end() && *at == destination) return false;
  state_.local_routes.insert(at, destination);
  change_.destinations.push_back(destination);
  state_.generation.raise();
  return true;
}

bool NodeEditor::remove_local_route(const IpPrefix& destination) {
  if (!take_out(state_.local_routes, destination)) return false;
  change_.destinations.push_back(destination);
  state_.generation.raise();
  return true;
}

bool NodeEditor::set_device(Device device) {
  const DeviceName name = device.name;
  const std::uint32_t mtu = device.mtu;
  const Device* before = state_.find_device(name);
  const std::uint32_t mtu_before = before == nullptr ? mtu : before->mtu;
  if (!put(state_.devices, std::move(device), &Device::name)) return false;
  change_.devices.push_back(name);
  if (mtu != mtu_before) change_.mtus_before.try_emplace(name, mtu_before);
  state_.generation.raise();
  return true;
}

bool NodeEditor::remove_device(DeviceName name) {
  if (!take_out(state_.devices, name, &Device::name)) return false;
  change_.devices.push_back(name);
  state_.generation.raise();
  return true;
}

bool NodeEditor::set_pod(LocalPod pod) {
  if (!put(state_.pods, pod, &LocalPod::address)) return false;
  change_.devices.push_back(state_.pod_device(pod.address));
  change_.destinations.push_back(IpPrefix::host(pod.address));
  state_.generation.raise();
  return true;
}

bool NodeEditor::remove_pod(IpAddress address) {
  if (!take_out(state_.pods, address, &LocalPod::address)) return false;
  change_.devices.push_back(state_.pod_device(address));
  change_.destinations.push_back(IpPrefix::host(address));
  state_.generation.raise();
  return true;
}

bool NodeEditor::set_cluster(std::shared_ptr<const ClusterTable> cluster) {
  assert(cluster != nullptr && state_.self.value < cluster->members().size());
  if (state_.cluster == cluster) return false;
  state_.cluster = std::move(cluster);
  change_.peers = true;
  state_.generation.raise();
  return true;
}

bool NodeEditor::set_cluster(std::shared_ptr<const ClusterTable> cluster,
                             std::vector<IpPrefix> removed) {
  assert(std::ranges::is_sorted(removed));
  const bool others = state_.removed != removed;
  state_.removed = std::move(removed);
  if (set_cluster(std::move(cluster))) return true;
  if (!others) return false;
  change_.peers = true;
  state_.generation.raise();
  return true;
}

bool NodeEditor::set_filter(std::shared_ptr<const PacketFilter> filter) {
  if (state_.filter == filter) return false;
  state_.filter = std::move(filter);
  change_.filter = true;
  state_.generation.raise();
  return true;
}

bool NodeEditor::set_services(std::shared_ptr<const ServiceTable> services) {
  if (state_.services == services) return false;
  state_.services = std::move(services);
  change_.services = true;
  state_.generation.raise();
  return true;
}

bool NodeEditor::set_sysctls(const Sysctls& sysctls) {
  if (state_.sysctls == sysctls) return false;
  state_.sysctls = sysctls;
  change_.sysctls = true;
  state_.generation.raise();
  return true;
}

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
