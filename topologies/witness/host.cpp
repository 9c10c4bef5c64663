#include <algorithm>
#include <memory>
#include <utility>

#include "topologies/cni/extension/node_compiler.h"
#include "topologies/effective/addressing.h"
#include "topologies/graph/topology.h"
#include "topologies/witness/network.h"

namespace overlane::witness {

compile::Compiled host(const std::string& name, IpAddress address, const IpPrefix& subnet) {
  compile::Compiled states;
  node::FabricState& fabric = states.fabric;
  fabric.route_tables.push_back({.name = name + " routes", .routes = {}});
  fabric.route_tables[0].routes.set(subnet, {.target = node::FabricTarget::Local});
  fabric.subnets.push_back({.name = name + " subnet", .zone = {}, .cidrs = {subnet}});
  fabric.instances.push_back({.name = name, .addresses = {address}, .prefixes = {}});

  auto cluster = std::make_shared<node::ClusterTable>();
  node::Member member{.name = name, .subnet = 0, .ipv4 = {}, .ipv6 = {}};
  (address.is_ipv4() ? member.ipv4 : member.ipv6) =
      node::MemberAddresses{.node = address, .pod_cidr = IpPrefix::host(address)};
  node::NodeState state;
  state.self = cluster->add(std::move(member));
  state.cluster = std::move(cluster);
  state.devices.push_back(
      {.name = cni::kUplink, .kind = node::DeviceKind::Uplink, .addresses = {address}});
  state.routes.set(subnet, {.device = cni::kUplink});
  state.routes.set(IpPrefix::containing(subnet.network(), 0),
                   {.device = cni::kUplink, .via = subnet.network() + 1});
  states.nodes.push_back(std::move(state));
  return states;
}

std::optional<Joining> bystander(const Case& overlap) {
  if (overlap.network_relation != NetworkRelation::OneRouteTable || overlap.b == nullptr ||
      overlap.a_side != Target::Pod || overlap.b_side != Target::Pod)
    return std::nullopt;
  for (const char* text :
       {"192.168.255.0/28", "172.31.255.0/28", "10.255.255.0/28", "fd00:ffff:ffff:ffff::/64"}) {
    const IpPrefix subnet = IpPrefix::parse(text).value();
    const auto holds = [&](const std::vector<IpPrefix>& ranges) {
      return std::ranges::any_of(ranges, [&](const IpPrefix& one) { return one.overlaps(subnet); });
    };
    const auto has = [&](const effective::EffectiveDataplane& shoot) {
      return holds(shoot.pods) || holds(shoot.nodes) || holds(shoot.services);
    };
    if (subnet.network().family() != overlap.intersection.network().family() || has(*overlap.a) ||
        has(*overlap.b))
      continue;
    const IpAddress address = subnet.network() + effective::kFirstMachineOffset;
    const std::string name = "a host of the network";
    return Joining{name, nullptr, host(name, address, subnet)};
  }
  return std::nullopt;
}

}  // namespace overlane::witness
