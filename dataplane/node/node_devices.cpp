#include <algorithm>

#include "dataplane/net/flow_hash.h"
#include "dataplane/node/node_state.h"

namespace overlane::node {
namespace {

const Device* first_of_kind(const NodeState& state, DeviceKind kind) {
  const auto at = std::ranges::find(state.devices, kind, &Device::kind);
  return at == state.devices.end() ? nullptr : &*at;
}

/// Whose slice holds the address: with host-local IPAM also the owner of the tunnel address.
const Member* slice_owner(const NodeState& state, IpAddress address) {
  const auto* slice = state.cluster->slices.longest_match(address);
  return slice == nullptr ? nullptr : &state.cluster->members[slice->second.value];
}

const Member* member_where(const NodeState& state, IpAddress Member::*field, IpAddress address) {
  const auto at = std::ranges::find(state.cluster->members, address, field);
  return at == state.cluster->members.end() ? nullptr : &*at;
}

}  // namespace

const Device* NodeState::find_device(std::string_view name) const {
  const auto at = std::ranges::find(devices, name, &Device::name);
  return at == devices.end() ? nullptr : &*at;
}

const Device* NodeState::tunnel_device(Encapsulation encapsulation) const {
  if (encapsulation == Encapsulation::None) return nullptr;
  const auto at = std::ranges::find_if(devices, [=](const Device& device) {
    return encapsulation_of(device.kind) == encapsulation;
  });
  return at == devices.end() ? nullptr : &*at;
}

const Device* NodeState::uplink() const {
  return first_of_kind(*this, DeviceKind::Uplink);
}

const LocalPod* NodeState::find_pod(IpAddress address) const {
  const auto at = std::ranges::lower_bound(pods, address, {}, &LocalPod::address);
  return at != pods.end() && at->address == address ? &*at : nullptr;
}

bool NodeState::operator==(const NodeState& other) const {
  const bool same_cluster = cluster == other.cluster || *cluster == *other.cluster;
  return same_cluster && self == other.self && devices == other.devices && pods == other.pods &&
         routes == other.routes && removed == other.removed &&
         tunnel_sources == other.tunnel_sources && sysctls == other.sysctls &&
         kernel == other.kernel;
}

std::string pod_device(IpAddress address) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name = "cali";
  const std::uint64_t bits = address.is_ipv4() ? address.low : flow_hash({.source = address});
  for (int shift = 28; shift >= 0; shift -= 4)
    name += kDigits[bits >> shift & 0xf];
  return name;
}

bool is_local(const NodeState& state, IpAddress address) {
  return address == state.member().address ||
         std::ranges::find(state.devices, address, &Device::address) != state.devices.end();
}

const Member* member_with_tunnel_address(const NodeState& state, IpAddress address) {
  const Member* owner = slice_owner(state, address);
  if (owner != nullptr && owner->tunnel_address == address) return owner;
  return member_where(state, &Member::tunnel_address, address);
}

bool is_member_address(const NodeState& state, IpAddress address, IpAddress pod) {
  const Member* owner = slice_owner(state, pod);
  if (owner != nullptr && owner->address == address) return true;
  return member_where(state, &Member::address, address) != nullptr;
}

bool remove_device(NodeState& state, std::string_view name) {
  if (std::erase_if(state.devices, [=](const Device& d) { return d.name == name; }) == 0) {
    return false;
  }
  ++state.generation;
  return true;
}

std::string to_string(const NodeState& state) {
  std::string text;
  for (const Device& device : state.devices)
    text += to_string(device) + '\n';
  for (const RouteMatch& match : main_table(state))
    text += to_string(match.destination, match.route) + '\n';
  return text;
}

}  // namespace overlane::node
