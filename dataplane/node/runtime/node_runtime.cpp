#include "dataplane/node/runtime/node_runtime.h"

#include <algorithm>

#include "dataplane/node/state/world.h"

namespace overlane::node {

void PathMtuCache::learn(IpAddress destination, std::uint32_t mtu, Picos now) {
  uses_.add();
  const bool ipv4 = destination.is_ipv4();
  const std::uint32_t minimum = ipv4 ? kPathMtuMinimum : kIpv6PathMtuMinimum;
  const PathMtu path{.mtu = std::max(mtu, minimum), .locked = ipv4 && mtu < minimum};
  const auto known = find(destination, now);
  if (known && known->mtu < path.mtu) return;
  if (!known) make_room(now);
  entries_[destination] = {path, now + kPathMtuExpiry};
  ++times_learned_;
}

std::vector<IpAddress> PathMtuCache::destinations() const {
  std::vector<IpAddress> all;
  for (const auto& [destination, entry] : entries_)
    all.push_back(destination);
  return all;
}

std::optional<PathMtu> PathMtuCache::find(IpAddress destination, Picos now) const {
  const auto at = entries_.find(destination);
  if (at == entries_.end() || at->second.expires <= now) return std::nullopt;
  uses_.add();
  return at->second.path;
}

void PathMtuCache::forget(const std::function<bool(IpAddress)>& is_lost) {
  std::erase_if(entries_, [&](const auto& entry) { return is_lost(entry.first); });
}

void PathMtuCache::follow_device(std::uint32_t before, std::uint32_t now,
                                 const std::function<bool(IpAddress)>& leads_to) {
  for (auto& [destination, entry] : entries_) {
    auto& [mtu, locked] = entry.path;
    const bool follows = now < mtu || (locked ? now == mtu : before == mtu);
    if (!follows || !leads_to(destination)) continue;
    mtu = now;
    locked = false;
  }
}

void PathMtuCache::make_room(Picos now) {
  if (entries_.size() < kPathMtuEntries) return;
  std::erase_if(entries_, [=](const auto& entry) { return entry.second.expires <= now; });
  if (entries_.size() < kPathMtuEntries) return;
  entries_.erase(std::ranges::min_element(entries_, {},
                                          [](const auto& entry) { return entry.second.expires; }));
}

void forget_lost_devices(NodeRuntime& runtime, const NodeState& state) {
  runtime.connections.forget_masqueraded([&](DeviceName name, IpAddress address) {
    const Device* device = state.find_device(name);
    if (device != nullptr) return device->up && device->has(address);
    // A pod that reaches itself through a Service: its veth has no address.
    return is_local(state, address) && std::ranges::any_of(state.pods, [=](const LocalPod& pod) {
             return state.pod_device(pod.address) == name;
           });
  });
}

namespace {

DeviceName device_towards(const NodeState& state, IpAddress destination) {
  const auto match = lookup(state, destination);
  return match ? match->route.device : DeviceName();
}

/// Returns the state in which the changed devices that are down or gone are up. Only their fields
/// that routes need are restored.
NodeState with_lost_devices(const NodeState& state, const NodeChange& change) {
  NodeState before = state;
  NodeEditor editor(before);
  for (const DeviceName name : change.devices) {
    if (state.is_up(name)) continue;
    const Device* device = state.find_device(name);
    Device up = device == nullptr ? Device{.name = name} : *device;
    up.up = true;
    editor.set_device(std::move(up));
  }
  return before;
}

/// Returns whether a destination has another route after the change. In IPv4 a path MTU belongs to
/// the next hop, which equal routes share (struct fib_info); in IPv6 it belongs to the route
/// (struct fib6_info).
bool has_another_route(const NodeState& state, const NodeChange& change, IpAddress destination) {
  const auto now = lookup(state, destination);
  const int bits = now ? now->destination.bits() : -1;
  const auto is_nearer = [=](const IpPrefix& changed) {
    return changed.contains(destination) && changed.bits() >= bits;
  };
  if (std::ranges::none_of(change.destinations, is_nearer)) return false;
  if (!destination.is_ipv4() || !now) return true;
  const bool is_new = std::ranges::count(change.destinations, now->destination) > 0;
  const Route* before = is_new ? nullptr : &now->route;
  int before_bits = is_new ? -1 : bits;
  for (const auto& [changed, route] : change.routes_before) {
    if (!changed.contains(destination) || changed.bits() < before_bits) continue;
    before = &route;
    before_bits = changed.bits();
  }
  if (before == nullptr) {  // The longest route before the change is not known.
    NodeState without = state;
    NodeEditor(without).remove_route(now->destination);
    const auto shorter = lookup(without, destination);
    return !shorter || shorter->route != now->route;
  }
  return *before != now->route;
}

void forget_path_mtus(PathMtuCache& path_mtus, const NodeState& state, const NodeChange& change) {
  if (path_mtus.size() == 0) return;
  path_mtus.forget(
      [&](IpAddress destination) { return has_another_route(state, change, destination); });
  const auto is_lost = [&](DeviceName name) { return !state.is_up(name); };
  if (std::ranges::any_of(change.devices, is_lost)) {
    const NodeState before = with_lost_devices(state, change);
    path_mtus.forget(
        [&](IpAddress destination) { return is_lost(device_towards(before, destination)); });
  }
  for (const auto& [name, mtu] : change.mtus_before)
    if (const Device* device = state.find_device(name))
      path_mtus.follow_device(mtu, device->mtu, [&, name = name](IpAddress destination) {
        return device_towards(state, destination) == name;
      });
}

}  // namespace

void forget(NodeRuntime& runtime, const NodeState& state, const NodeChange& change) {
  forget_lost_devices(runtime, state);
  forget_path_mtus(runtime.path_mtus, state, change);
  if (!change.services || !state.services) return;
  runtime.connections.forget_endpoints([&](const ConntrackTuple& original, IpAddress endpoint) {
    const Service* service =
        state.services->find({original.destination, original.destination_port, original.protocol});
    return service == nullptr || std::ranges::find(service->endpoints, endpoint,
                                                   &Endpoint::address) != service->endpoints.end();
  });
}

}  // namespace overlane::node
