#include <algorithm>

#include "dataplane/net/flow_hash.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::node {
namespace {

/// Whether the packet reaches the device's socket or protocol handler.
bool hears(const Device& device, const TunnelKey& key) {
  return key.encapsulation != Encapsulation::None && device.encapsulation() == key.encapsulation &&
         device.underlay == key.source.family() && device.udp_port == key.udp_port;
}

/// Shared values, equal when they are one or look alike.
template <typename T>
bool is_same(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace

std::optional<IpAddress> NodeState::address(Family family) const {
  const MemberAddresses* addresses = member().in(family);
  return addresses == nullptr ? std::nullopt : std::optional(addresses->node);
}

const Device* NodeState::find_device(DeviceName name) const {
  const auto at = std::ranges::find(devices, name, &Device::name);
  return at == devices.end() ? nullptr : &*at;
}

bool NodeState::is_up(DeviceName name) const {
  const Device* device = find_device(name);
  return device != nullptr && device->up;
}

const Device* NodeState::uplink() const {
  const auto at = std::ranges::find(devices, DeviceKind::Uplink, &Device::kind);
  return at == devices.end() ? nullptr : &*at;
}

const LocalPod* NodeState::find_pod(IpAddress address) const {
  const auto at = std::ranges::lower_bound(pods, address, {}, &LocalPod::address);
  return at != pods.end() && at->address == address ? &*at : nullptr;
}

bool NodeState::operator==(const NodeState& other) const {
  return is_same(cluster, other.cluster) && self == other.self && devices == other.devices &&
         pods == other.pods && routes == other.routes && removed == other.removed &&
         local_routes == other.local_routes && is_same(filter, other.filter) &&
         is_same(services, other.services) && sysctls == other.sysctls && kernel == other.kernel &&
         pod_device_prefix == other.pod_device_prefix;
}

DeviceName NodeState::pod_device(IpAddress address) const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::uint64_t bits = address.is_ipv4() ? address.low : flow_hash({.source = address});
  std::string name(pod_device_prefix.view());
  for (int shift = 28; shift >= 0; shift -= 4)
    name += kDigits[bits >> shift & 0xf];
  return std::string_view(name);
}

bool is_local(const NodeState& state, IpAddress address) {
  return state.address(address.family()) == address ||
         std::ranges::any_of(state.devices, [=](const Device& d) { return d.has(address); }) ||
         std::ranges::any_of(state.local_routes,
                             [=](const IpPrefix& prefix) { return prefix.contains(address); }) ||
         (state.services != nullptr && state.services->proxy() == ServiceProxy::Ipvs &&
          state.services->has(address));
}

const Device* receiving_device(const NodeState& state, const TunnelKey& key) {
  const Device* from_anywhere = nullptr;
  for (const Device& device : state.devices) {
    if (!hears(device, key)) continue;
    const bool has_vni = device.kind != DeviceKind::Wireguard && !device.external;
    if (has_vni && device.vni != key.vni) continue;
    if (device.remote == key.source) return &device;
    if (!device.remote && from_anywhere == nullptr) from_anywhere = &device;
  }
  return from_anywhere;
}

bool listens(const NodeState& state, const TunnelKey& key) {
  return std::ranges::any_of(state.devices, [&](const Device& device) {
    // A UDP socket takes packets from anyone; a protocol handler asks for a tunnel first
    // (tunnel4_rcv, ip6_tnl_rcv).
    const bool by_socket = device.udp_port != 0;
    const bool is_meant = by_socket || !device.remote || device.remote == key.source;
    return device.up && hears(device, key) && is_meant;
  });
}

bool has_wireguard(const NodeState& state) {
  return std::ranges::find(state.devices, DeviceKind::Wireguard, &Device::kind) !=
         state.devices.end();
}

const Member* allowed_peer(const NodeState& state, const Device& device, IpAddress address) {
  const ClusterTable& table = *state.cluster;
  if (!device.allows_nodes && device.underlay != address.family()) return nullptr;
  const Member* node = device.allows_nodes ? table.with_node_address(address) : nullptr;
  const auto* pod_cidr = table.pod_cidrs().longest_match(address);
  const Member* owner = pod_cidr == nullptr ? nullptr : &table.members()[pod_cidr->second.value];
  const Member* peer = node != nullptr ? node : owner;
  return peer == &state.member() ? nullptr : peer;
}

std::uint32_t wireguard_index(const NodeState& state) {
  return state.self.value + 1;
}

const Member* wireguard_peer(const NodeState& state, std::uint32_t index) {
  const std::vector<Member>& members = state.cluster->members();
  const bool is_peer = index != 0 && index <= members.size() && index - 1 != state.self.value;
  return is_peer ? &members[index - 1] : nullptr;
}

}  // namespace overlane::node
