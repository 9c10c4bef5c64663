#include "topologies/compile/fabric.h"

#include <fmt/format.h>

#include "topologies/compile/fabric_filters.h"
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
  if (vpc.ipv6) {
    result.routes.set(*vpc.ipv6, FabricRoute{.target = FabricTarget::Local});
    result.routes.set(
        IpPrefix::containing(vpc.ipv6->network(), 0),
        FabricRoute{.target = FabricTarget::Internet, .owner = FabricRouteOwner::Infrastructure});
  }
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

/// Every pod slice of every node, and whose it is.
std::vector<std::pair<IpPrefix, std::uint32_t>> slices(const graph::Topology& topology) {
  std::vector<std::pair<IpPrefix, std::uint32_t>> list;
  for (std::uint32_t i = 0; i < topology.nodes().size(); ++i) {
    const graph::Node& node = topology.nodes()[i];
    list.emplace_back(node.pod_slice, i);
    if (node.ipv6) list.emplace_back(node.ipv6->pod_slice, i);
  }
  return list;
}

struct LeftOut {
  std::size_t over_quota = 0;
  std::vector<std::string> inside_subnet;  ///< Slices.
};

LeftOut write_slices(node::FabricState& fabric, std::uint32_t table,
                     const graph::Topology& topology) {
  LeftOut left_out;
  for (const auto& [slice, instance] : slices(topology)) {
    const FabricRoute route{.target = FabricTarget::Instance,
                            .instance = instance,
                            .owner = FabricRouteOwner::RouteController};
    switch (set_route(fabric, table, slice, route)) {
      case node::RouteChange::Set:
        break;
      case node::RouteChange::OverQuota:
        ++left_out.over_quota;
        break;
      case node::RouteChange::InsideSubnet:
        left_out.inside_subnet.push_back(slice.to_string());
        break;
    }
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

Finding subnet_finding(const graph::Topology& topology, const effective::EffectiveDataplane& shoot,
                       const RouteTable& table, const std::vector<std::string>& slices) {
  const ObjectName object{"Shoot", shoot.namespace_, shoot.name};
  return {
      .rule = "route-inside-subnet",
      .severity = Severity::Warning,
      .message = fmt::format("{}: {} refuses routes that hide a subnet, so table {} has no route "
                             "to the pods of {} of {} nodes, {} the first",
                             object.qualified(), to_string(topology.vpc().provider), table.name,
                             slices.size(), topology.nodes().size(), slices.front()),
      .object = object,
      .path = "spec.networking.pods",
      .place = shoot.place,
      .hint = "use the overlay, or a pod range apart from the VPC's subnets"};
}

void write_slices(node::FabricState& fabric, const graph::Topology& topology,
                  const effective::EffectiveDataplane& shoot, Findings& findings) {
  for (std::uint32_t i = 0; i < fabric.route_tables.size(); ++i) {
    const LeftOut left_out = write_slices(fabric, i, topology);
    const RouteTable& table = fabric.route_tables[i];
    if (left_out.over_quota > 0) {
      findings.push_back(quota_finding(topology, shoot, table, left_out.over_quota));
    }
    if (!left_out.inside_subnet.empty()) {
      findings.push_back(subnet_finding(topology, shoot, table, left_out.inside_subnet));
    }
  }
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
  fabric.drops_disordered_fragments = provider.drops_disordered_fragments;
  fabric.honours_next_hop = provider.honours_next_hop;
  fabric.protects_subnets = provider.protects_subnets;
  fabric.decrementing_hops = provider.decrementing_hops;
  for (const graph::RouteTable& table : topology.route_tables()) {
    fabric.route_tables.push_back(system_table(table, topology.vpc()));
  }
  for (const graph::Subnet& subnet : topology.subnets()) {
    fabric.subnets.push_back({subnet.name, subnet.zone, {subnet.cidr}, subnet.route_table});
    if (subnet.ipv6) fabric.subnets.back().cidrs.push_back(*subnet.ipv6);
  }
  for (const graph::Node& node : topology.nodes()) {
    node::Instance instance{.name = node.name, .addresses = {node.address}, .subnet = node.subnet};
    if (node.ipv6) instance.addresses.push_back(node.ipv6->address);
    if (provider.allows_pod_range_only) {
      instance.source_destination_check = true;
      instance.allowed = shoot.pods;
    }
    fabric.instances.push_back(std::move(instance));
  }
  add_filters(fabric, shoot);
  if (fabric_knows_slices(shoot)) write_slices(fabric, topology, shoot, findings);
  return fabric;
}

}  // namespace overlane::compile
