#include <memory>
#include <utility>

#include "topologies/compile/uplink.h"
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
      node::MemberAddresses{.node = address, .pod_slice = IpPrefix::host(address)};
  node::NodeState state;
  state.self = cluster->add(std::move(member));
  state.cluster = std::move(cluster);
  state.devices.push_back(
      {.name = compile::kUplink, .kind = node::DeviceKind::Uplink, .addresses = {address}});
  state.routes.set(subnet, {.device = compile::kUplink});
  state.routes.set(IpPrefix::containing(subnet.network(), 0),
                   {.device = compile::kUplink, .via = subnet.network() + 1});
  states.nodes.push_back(std::move(state));
  return states;
}

}  // namespace overlane::witness
