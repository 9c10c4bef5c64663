#include "dataplane/kernel/set_up/set_up.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "dataplane/kernel/set_up/set_up_steps.h"

namespace overlane::kernel {
namespace {

using node::Device;
using node::DeviceKind;
using node::NodeState;

constexpr std::uint8_t kPortRole = 1;
constexpr std::uint8_t kNeighbourRole = 2;

std::vector<Port> ports_of(const NodeState& state) {
  std::vector<Port> ports;
  for (const Device& device : state.devices) {
    if (device.kind != DeviceKind::Uplink) continue;
    ports.push_back({std::string(device.name.view()), forward::Egress::Uplink,
                     numbered_mac(kPortRole, ports.size())});
  }
  for (const node::LocalPod& pod : state.pods) {
    ports.push_back({std::string(state.pod_device(pod.address).view()), forward::Egress::Pod,
                     numbered_mac(kPortRole, ports.size())});
  }
  return ports;
}

/// The addresses that something may be sent to on the uplink.
std::set<IpAddress> uplink_neighbours(const NodeState& state, const Device& uplink,
                                      std::span<const IpAddress> more) {
  std::set<IpAddress> addresses(more.begin(), more.end());
  for (const node::RouteMatch& match : node::main_table(state)) {
    if (match.route.device == uplink.name && match.route.via) addresses.insert(*match.route.via);
  }
  for (const node::Member& member : state.cluster->members()) {
    for (const Family family : {Family::Ipv4, Family::Ipv6}) {
      if (const auto* member_addresses = member.in(family))
        addresses.insert(member_addresses->node);
    }
  }
  std::erase_if(addresses, [&](IpAddress address) {
    return state.address(address.family()) == address || (!address.is_ipv4() && !has_ipv6(state));
  });
  return addresses;
}

std::vector<Neighbour> neighbours_of(const NodeState& state, std::span<const IpAddress> more) {
  std::vector<Neighbour> neighbours;
  const auto add = [&](node::DeviceName device, IpAddress address) {
    neighbours.push_back(
        {std::string(device.view()), address, numbered_mac(kNeighbourRole, neighbours.size())});
  };
  if (const Device* uplink = state.uplink()) {
    for (const IpAddress address : uplink_neighbours(state, *uplink, more))
      add(uplink->name, address);
  }
  for (const node::LocalPod& pod : state.pods)
    add(state.pod_device(pod.address), pod.address);
  return neighbours;
}

}  // namespace

SetUp set_up(const NodeState& state, std::span<const IpAddress> more_neighbours,
             UplinkPair uplink) {
  SetUp result{.ports = ports_of(state), .neighbours = neighbours_of(state, more_neighbours)};
  add_sysctls(state, result.commands);
  add_devices(state, uplink, result);
  add_routes(state, result.commands);
  add_device_settings(state, result.commands);
  add_filters(state, result.commands);
  return result;
}

bool has_ipv6(const NodeState& state) {
  const auto is_ipv6 = [](const IpAddress& address) { return !address.is_ipv4(); };
  return state.address(Family::Ipv6).has_value() ||
         std::ranges::any_of(state.pods, is_ipv6, &node::LocalPod::address) ||
         std::ranges::any_of(state.routes,
                             [](const auto& entry) { return !IpPrefix(entry.first).is_ipv4(); });
}

MacAddress numbered_mac(std::uint8_t role, std::size_t number) {
  // Locally administered (IEEE 802, second-least significant bit of the first byte).
  return {{0x02, role, 0, 0, static_cast<std::uint8_t>(number >> 8),
           static_cast<std::uint8_t>(number)}};
}

std::string host_prefix(IpAddress address) {
  return IpPrefix::host(address).to_string();
}

void add_sysctls(const NodeState& state, std::vector<Command>& commands) {
  const auto set = [&](const std::string& key, int value) {
    commands.push_back({Program::Sysctl, fmt::format("net/{}={}", key, value)});
  };
  set("ipv4/ip_forward", state.sysctls.ip_forward ? 1 : 0);
  set("ipv4/conf/all/rp_filter", state.sysctls.rp_filter_all);
  set("ipv4/conf/default/rp_filter", 0);
  set("ipv4/ipfrag_time", state.sysctls.ipfrag_time);
  set("ipv4/icmp_ratelimit", 0);
  set("ipv4/icmp_ratemask", 0);
  set("ipv4/icmp_echo_ignore_all", 1);
  set("ipv4/conf/all/send_redirects", 0);
  set("ipv4/conf/default/send_redirects", 0);
  if (!has_ipv6(state)) {
    set("ipv6/conf/all/disable_ipv6", 1);
    set("ipv6/conf/default/disable_ipv6", 1);
    return;
  }
  set("ipv6/conf/all/forwarding", state.sysctls.ipv6_forwarding ? 1 : 0);
  set("ipv6/conf/default/accept_dad", 0);
  set("ipv6/conf/default/accept_ra", 0);
  set("ipv6/conf/default/router_solicitations", 0);
  set("ipv6/conf/default/addr_gen_mode", 1);
  set("ipv6/ip6frag_time", state.sysctls.ip6frag_time);
  set("ipv6/icmp/ratelimit", 0);
  set("ipv6/icmp/echo_ignore_all", 1);
}

}  // namespace overlane::kernel
