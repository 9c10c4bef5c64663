#include "topologies/compile/fabric.h"

#include <fmt/format.h>

#include "topologies/graph/provider_network.h"

namespace overlane::compile {
namespace {

using node::FabricRoute;
using node::FabricRouteOwner;
using node::FabricTarget;
using node::RouteTable;

constexpr Ipv4Prefix kDefaultRoute{};

RouteTable system_table(const graph::RouteTable& table, const graph::Vpc& vpc) {
  RouteTable result{.name = table.name, .routes = {}, .quota = vpc.route_quota};
  result.routes.set(vpc.cidr, FabricRoute{.target = FabricTarget::Local});
  result.routes.set(kDefaultRoute, FabricRoute{.target = FabricTarget::Internet,
                                               .owner = FabricRouteOwner::Infrastructure});
  return result;
}

/// Who keeps the pod slices in the fabric: a cloud's route controller, or the hosts' BGP on metal.
bool fabric_knows_slices(const effective::EffectiveDataplane& shoot) {
  if (shoot.dataplane.mode != effective::Mode::Routed) return false;
  switch (shoot.provider) {
    case effective::Provider::Aws:
    case effective::Provider::Gcp:
    case effective::Provider::Azure:
    case effective::Provider::OpenStack:
    case effective::Provider::AliCloud:
    case effective::Provider::Metal:
      return true;
    case effective::Provider::Local:
    case effective::Provider::Other:
      return shoot.dataplane.routes_by == effective::RoutesBy::CloudRouteTable;
  }
  return false;
}

/// Returns how many nodes' slices found no room in `table`.
std::size_t write_slices(RouteTable& table, const graph::Topology& topology) {
  std::size_t left_out = 0;
  for (std::uint32_t i = 0; i < topology.nodes().size(); ++i) {
    if (table.quota != 0 && table.routes.size() >= table.quota) {
      ++left_out;
      continue;
    }
    table.routes.set(topology.nodes()[i].pod_slice,
                     FabricRoute{.target = FabricTarget::Instance,
                                 .instance = i,
                                 .owner = FabricRouteOwner::RouteController});
  }
  return left_out;
}

Finding quota_finding(const graph::Topology& topology, const effective::EffectiveDataplane& shoot,
                      const RouteTable& table, std::size_t left_out) {
  const ObjectName object{"Shoot", shoot.namespace_, shoot.name};
  return {
      .rule = "route-quota",
      .severity = Severity::Warning,
      .message = fmt::format("{}: route table {} takes {} routes ({}), two of them for the VPC and "
                             "the internet, so {} of {} nodes get no pod route and their "
                             "pods cannot be reached",
                             object.qualified(), table.name, table.quota,
                             topology.vpc().route_quota_source, left_out, topology.nodes().size()),
      .object = object,
      .path = "spec.provider.workers",
      .place = shoot.place,
      .hint = "use the overlay, fewer nodes, or ask the provider for a higher quota"};
}

}  // namespace

Ipv4Address gateway(const Ipv4Prefix& subnet) {
  return {subnet.network.bits + 1};
}

node::FabricState fabric_state(const graph::Topology& topology,
                               const effective::EffectiveDataplane& shoot, Findings& findings) {
  const graph::ProviderNetwork& provider = graph::provider_network(topology.vpc().provider);
  node::FabricState fabric;
  fabric.name = topology.vpc().name;
  fabric.mtu = topology.vpc().mtu;
  fabric.dropped_protocols = provider.dropped_protocols;
  for (const graph::RouteTable& table : topology.route_tables()) {
    fabric.route_tables.push_back(system_table(table, topology.vpc()));
  }
  for (const graph::Subnet& subnet : topology.subnets()) {
    fabric.subnets.push_back({subnet.name, subnet.zone, subnet.cidr, subnet.route_table});
  }
  for (const graph::Node& node : topology.nodes()) {
    node::Instance instance{.name = node.name, .address = node.address, .subnet = node.subnet};
    if (provider.allows_pod_range_only) {
      instance.source_destination_check = true;
      for (const IpPrefix& pods : shoot.pods) {
        if (pods.is_ipv4()) instance.allowed.push_back(*pods.ipv4());
      }
    }
    fabric.instances.push_back(std::move(instance));
  }
  if (fabric_knows_slices(shoot)) {
    for (RouteTable& table : fabric.route_tables) {
      const std::size_t left_out = write_slices(table, topology);
      if (left_out > 0) findings.push_back(quota_finding(topology, shoot, table, left_out));
    }
  }
  return fabric;
}

}  // namespace overlane::compile
