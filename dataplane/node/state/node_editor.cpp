#include "dataplane/node/state/node_editor.h"

#include <algorithm>
#include <cassert>
#include <functional>

namespace overlane::node {
namespace {

/// Replaces the element of a sorted vector that has the value's key, or inserts the value; false
/// when an equal one is there.
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

}  // namespace overlane::node
