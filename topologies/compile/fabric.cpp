#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dataplane/node/state/world.h"
#include "results/base/text.h"
#include "topologies/compile/compile.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/provider/profile.h"

// The VPC as node::FabricState: route tables with their system routes and routes of other owners,
// subnets, instances with their allowed addresses, filters, and last the routes to pod CIDRs, in
// the order of the nodes, until a table is full. Provider-specific facts are from
// provider::Profile.
namespace overlane::compile {

namespace {

using effective::EffectiveDataplane;
using node::FabricRoute;
using node::FabricRouteOwner;
using node::FabricRule;
using node::FabricState;
using node::FabricTarget;
using node::RouteTable;
using node::RuleSource;
using node::SecurityGroup;

RouteTable system_table(const graph::RouteTable& table, const graph::Vpc& vpc,
                        const effective::EffectiveDataplane& shoot) {
  constexpr FabricRoute kOut{.target = FabricTarget::Internet,
                             .owner = FabricRouteOwner::Infrastructure};
  RouteTable result{
      .name = table.name,
      .routes = {},
      .quota = vpc.route_quota,
      .counted_others = static_cast<std::uint32_t>(effective::route_count(shoot).others),
      .families_share_quota = provider::profile_of(vpc.provider).routes.families_share_quota};
  for (const Family family : graph::kFamilies) {
    const IpPrefix* cidr = vpc.cidr.in(family);
    if (cidr == nullptr) continue;
    result.routes.set(*cidr, FabricRoute{.target = FabricTarget::Local});
    result.routes.set(IpPrefix::containing(cidr->network(), 0), kOut);
  }
  const std::string_view egress = provider::profile_of(vpc.provider).fabric.ipv6_egress;
  if (vpc.cidr.ipv6 && !egress.empty()) result.routes.set(IpPrefix::parse(egress).value(), kOut);
  return result;
}

/// Adds routes of other owners. They precede the shoot's routes and count against the quota.
void add_foreign_routes(const graph::Vpc& vpc, RouteTable& table) {
  for (const graph::ForeignRoute& foreign : vpc.foreign_routes) {
    table.routes.set(foreign.destination,
                     FabricRoute{.target = foreign.is_blackhole ? FabricTarget::Blackhole
                                                                : FabricTarget::Foreign,
                                 .owner = FabricRouteOwner::User});
  }
}

/// Adds a local route to the pod range if the cloud assigns pod CIDRs to the nodes' interfaces.
void add_pod_ranges(const graph::Topology& topology, const effective::EffectiveDataplane& shoot,
                    RouteTable& table) {
  const auto& addresses = topology.nodes().front().addresses;
  for (const IpPrefix& range : shoot.pods) {
    const graph::NodeAddresses* node = addresses.in(range.network().family());
    if (node != nullptr && node->interface_prefix)
      table.routes.set(range, FabricRoute{.target = FabricTarget::Local});
  }
}

/// The writer of the fabric's routes to pod CIDRs: the cloud's route controller, or the nodes by
/// BGP. Nothing if the fabric gets no such routes.
std::optional<FabricRouteOwner> writer_of_pod_routes(const effective::EffectiveDataplane& shoot,
                                                     const effective::Dataplane& dataplane) {
  if (dataplane.cloud_routes == effective::CloudRoutes::Written)
    return FabricRouteOwner::RouteController;
  if (dataplane.mode == effective::Mode::Routed &&
      provider::profile_of(shoot.provider).routes.pods == provider::PodPath::Bgp)
    return FabricRouteOwner::Bgp;
  return std::nullopt;
}

/// Pod CIDRs with the routes to their instances.
using PodCidrs = std::vector<std::pair<IpPrefix, FabricRoute>>;

/// The pod CIDRs that need a route in the fabric, in the order of the nodes.
PodCidrs routed_pod_cidrs(const graph::Topology& topology,
                          const effective::EffectiveDataplane& shoot) {
  PodCidrs list;
  for (std::uint32_t i = 0; i < topology.nodes().size(); ++i)
    for (const Family family : graph::kFamilies) {
      const effective::Dataplane* dataplane = shoot.dataplane_of(family);
      if (dataplane == nullptr) continue;
      const auto writer = writer_of_pod_routes(shoot, *dataplane);
      const graph::NodeAddresses* node = topology.nodes()[i].addresses.in(family);
      if (writer && node != nullptr && !node->interface_prefix)
        list.emplace_back(
            node->pod_cidr,
            FabricRoute{.target = FabricTarget::Instance, .instance = i, .owner = *writer});
    }
  return list;
}

struct LeftOut {
  std::set<std::uint32_t> over_quota;      ///< Instances.
  bool ipv4 = false;                       ///< The family of the first route over the quota.
  std::vector<std::string> inside_subnet;  ///< Pod CIDRs.
};

LeftOut write_pod_cidrs(node::FabricState& fabric, std::uint32_t table, const PodCidrs& pod_cidrs) {
  LeftOut left_out;
  for (const auto& [pod_cidr, route] : pod_cidrs) {
    switch (node::FabricEditor(fabric).set_route(table, pod_cidr, route)) {
      case node::RouteChange::Set:
      case node::RouteChange::Unchanged:
        break;
      case node::RouteChange::OverQuota:
        if (left_out.over_quota.empty()) left_out.ipv4 = pod_cidr.is_ipv4();
        left_out.over_quota.insert(route.instance);
        break;
      case node::RouteChange::InsideSubnet:
        left_out.inside_subnet.push_back(pod_cidr.to_string());
        break;
    }
  }
  return left_out;
}

/// From where the pods of nodes without a fabric route are unreachable, as a clause.
std::string unreachable_from(const effective::EffectiveDataplane& shoot, Family family) {
  const effective::Dataplane& dataplane = *shoot.dataplane_of(family);
  if (dataplane.mode == effective::Mode::Overlay || dataplane.is_encrypted())
    return "their pods are unreachable from outside the shoot; its nodes reach them through the "
           "tunnel";
  if (dataplane.nodes_write_routes() &&
      provider::profile_of(shoot.provider).routes.nodes_share_link)
    return fmt::format(
        "their pods are unreachable from outside the subnet; nodes in it reach them by the nodes' "
        "own routes ({})",
        to_string(dataplane.routes_by));
  return "their pods are unreachable";
}

Finding quota_finding(const graph::Topology& topology, const effective::EffectiveDataplane& shoot,
                      const RouteTable& table, const LeftOut& left_out) {
  const ObjectName object{"Shoot", shoot.namespace_, shoot.name};
  const std::string others =
      table.counted_others == 0
          ? ""
          : fmt::format(", and {} in it {} no node's",
                        counted(static_cast<std::uint64_t>(table.counted_others), "route"),
                        table.counted_others == 1 ? "is" : "are");
  return {.rule = "route-quota",
          .severity = Severity::Warning,
          .message = fmt::format(
              "{}: the route quota of table {} is {} ({}){}: {} of {} nodes get "
              "no pod route, and {}",
              object.qualified(), table.name, table.quota, topology.vpc().route_quota_source,
              others, left_out.over_quota.size(), topology.nodes().size(),
              unreachable_from(shoot, left_out.ipv4 ? Family::Ipv4 : Family::Ipv6)),
          .object = object,
          .path = "spec.provider.workers",
          .place = shoot.place,
          .hint = "use the overlay, fewer nodes, or ask the provider for a higher quota"};
}

Finding subnet_finding(const graph::Topology& topology, const effective::EffectiveDataplane& shoot,
                       const RouteTable& table, const std::vector<std::string>& pod_cidrs) {
  const ObjectName object{"Shoot", shoot.namespace_, shoot.name};
  return {.rule = "route-inside-subnet",
          .severity = Severity::Warning,
          .message = fmt::format("{}: {} refuses routes that cover a subnet: table {} has no route "
                                 "to the pods of {} of {} nodes, the first of which is {}",
                                 object.qualified(), to_string(topology.vpc().provider), table.name,
                                 pod_cidrs.size(), topology.nodes().size(), pod_cidrs.front()),
          .object = object,
          .path = "spec.networking.pods",
          .place = shoot.place,
          .hint = "use the overlay, or a pod range outside the VPC's subnets"};
}

void write_pod_cidrs(node::FabricState& fabric, const graph::Topology& topology,
                     const effective::EffectiveDataplane& shoot, Findings& findings) {
  const PodCidrs pod_cidrs = routed_pod_cidrs(topology, shoot);
  for (std::uint32_t i = 0; i < fabric.route_tables.size(); ++i) {
    const LeftOut left_out = write_pod_cidrs(fabric, i, pod_cidrs);
    const RouteTable& table = fabric.route_tables[i];
    if (!left_out.over_quota.empty()) {
      findings.push_back(quota_finding(topology, shoot, table, left_out));
    }
    if (!left_out.inside_subnet.empty()) {
      findings.push_back(subnet_finding(topology, shoot, table, left_out.inside_subnet));
    }
  }
}

/// Adds the shoot's findings about routes to pods that nothing writes, which the states reproduce,
/// and about pod addresses without routes, which the states do not show.
void add_missing_routes(const effective::EffectiveDataplane& shoot, Findings& findings) {
  if (const Finding* unrouted = effective::finding_about_addresses(shoot))
    findings.push_back(*unrouted);
  for (const Family family : graph::kFamilies) {
    const effective::Dataplane* dataplane = shoot.dataplane_of(family);
    if (dataplane == nullptr || dataplane->cloud_routes != effective::CloudRoutes::NotWritten)
      continue;
    const auto found =
        std::ranges::find(shoot.findings, effective::rule_of(dataplane->route_gap), &Finding::rule);
    if (found != shoot.findings.end() && std::ranges::find(findings, *found) == findings.end())
      findings.push_back(*found);
  }
}

node::Instance instance_of(const graph::Topology& topology, const graph::Node& node,
                           const effective::EffectiveDataplane& shoot,
                           const provider::Fabric& provider) {
  node::Instance instance{
      .name = node.name, .addresses = {}, .prefixes = {}, .subnet = node.subnet};
  if (topology.subnets()[node.subnet].zone.empty()) instance.zone = topology.zones()[node.zone];
  for (const Family family : graph::kFamilies) {
    const graph::NodeAddresses* addresses = node.addresses.in(family);
    if (addresses == nullptr) continue;
    instance.addresses.push_back(addresses->address);
    if (addresses->interface_prefix) instance.prefixes.push_back(*addresses->interface_prefix);
  }
  if (provider.allows_pod_range_only) {
    instance.source_destination_check = true;
    instance.allowed = shoot.pods;
  }
  return instance;
}

std::vector<IpPrefix> of_family(bool ipv4, const std::vector<IpPrefix>& one,
                                const std::vector<IpPrefix>& other = {}) {
  std::vector<IpPrefix> networks;
  for (const auto* list : {&one, &other})
    for (const IpPrefix& network : *list)
      if (network.is_ipv4() == ipv4) networks.push_back(network);
  return networks;
}

/// The networks and members that a rule allows; nullopt where the shoot has no such networks.
std::optional<FabricRule> rule_from(provider::FilterRule::From from,
                                    const EffectiveDataplane& shoot) {
  using From = provider::FilterRule::From;
  switch (from) {
    case From::Anywhere:
      return FabricRule{.networks = {Ipv4Prefix{}, Ipv6Prefix{}}};
    case From::Pods:
      return FabricRule{.networks = of_family(true, shoot.pods)};
    case From::Nodes:
      return FabricRule{.networks = of_family(true, shoot.nodes)};
    case From::PodsAndNodes:
      return FabricRule{.networks = of_family(true, shoot.pods, shoot.nodes)};
    case From::NodesAndServicesIpv6: {
      auto networks = of_family(false, shoot.nodes, shoot.services);
      if (networks.empty()) return std::nullopt;
      return FabricRule{.networks = std::move(networks)};
    }
    case From::GroupInterfaces:
      return FabricRule{.source = RuleSource::GroupInterfaces};
    case From::GroupAddresses:
      return FabricRule{.source = shoot.ovn.value_or(false) ? RuleSource::GroupFixedAddresses
                                                            : RuleSource::GroupAddresses};
  }
  return std::nullopt;
}

/// Adds the security groups and firewall rules that Gardener's infrastructure controller creates
/// for a shoot, with the instances as members. Without such rules all traffic is allowed: existing
/// filters (Azure's network security group, a metal fabric) allow the shoot's own traffic.
void add_filters(FabricState& fabric, const EffectiveDataplane& shoot) {
  const auto& filter = provider::profile_of(shoot.provider).fabric.filter;
  if (!filter) return;
  SecurityGroup group{.name = fmt::format(fmt::runtime(filter->name), shoot.name),
                      .every_instance = filter->every_instance};
  for (const provider::FilterRule& known : filter->rules) {
    std::optional<FabricRule> rule = rule_from(known.from, shoot);
    if (!rule) continue;
    rule->protocols.assign(known.protocols.begin(), known.protocols.end());
    for (const provider::FilterRule::Ports& ports : known.ports)
      rule->ports.push_back({ports.first, ports.last});
    group.rules.push_back(*std::move(rule));
  }
  fabric.groups.push_back(std::move(group));
  if (filter->every_instance) return;
  const auto number = static_cast<std::uint32_t>(fabric.groups.size() - 1);
  for (node::Instance& instance : fabric.instances)
    instance.groups.push_back(number);
}

}  // namespace

node::FabricState fabric_state(const graph::Topology& topology,
                               const effective::EffectiveDataplane& shoot, Findings& findings) {
  const provider::Fabric& provider = provider::profile_of(topology.vpc().provider).fabric;
  node::FabricState fabric;
  fabric.name = topology.vpc().name;
  fabric.mtu = topology.vpc().mtu;
  if (fabric.mtu > provider.egress_mtu) fabric.egress_mtu = provider.egress_mtu;
  fabric.dropped_protocols.assign(provider.dropped_protocols.begin(),
                                  provider.dropped_protocols.end());
  fabric.drops_disordered_fragments = provider.drops_disordered_fragments;
  fabric.honours_next_hop = provider.honours_next_hop;
  fabric.link_layer_answers = provider.answers_within_subnet_only
                                  ? node::LinkLayerAnswers::WithinSubnet
                                  : node::LinkLayerAnswers::AllAddresses;
  fabric.protects_subnets = provider.protects_subnets;
  fabric.decrementing_hops = provider.decrementing_hops;
  for (const graph::RouteTable& table : topology.route_tables()) {
    fabric.route_tables.push_back(system_table(table, topology.vpc(), shoot));
    add_pod_ranges(topology, shoot, fabric.route_tables.back());
    add_foreign_routes(topology.vpc(), fabric.route_tables.back());
  }
  for (const graph::Subnet& subnet : topology.subnets()) {
    fabric.subnets.push_back({subnet.name, subnet.zone, {}, subnet.route_table});
    for (const Family family : graph::kFamilies)
      if (const IpPrefix* cidr = subnet.cidr.in(family))
        fabric.subnets.back().cidrs.push_back(*cidr);
  }
  for (const graph::Node& node : topology.nodes())
    fabric.instances.push_back(instance_of(topology, node, shoot, provider));
  add_filters(fabric, shoot);
  write_pod_cidrs(fabric, topology, shoot, findings);
  add_missing_routes(shoot, findings);
  return fabric;
}

}  // namespace overlane::compile
