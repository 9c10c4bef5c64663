#include "topologies/path/needed_in_vpc.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/node/text/fabric_text.h"
#include "topologies/path/outside.h"

namespace overlane::path {
namespace {

using compile::Compiled;
using forward::IpFields;

bool leads_to(const node::RouteTable& table, IpAddress destination, node::FabricTarget target) {
  const auto* entry = table.routes.longest_match(destination);
  return entry != nullptr && entry->second.target == target;
}

/// Whether the cloud allocates the family's pod ranges to the nodes' interfaces.
bool hands_out_prefixes(const node::FabricState& fabric, Family family) {
  const auto of_family = [=](const IpPrefix& prefix) {
    return prefix.network().family() == family;
  };
  return std::ranges::any_of(fabric.instances, [&](const node::Instance& instance) {
    return std::ranges::any_of(instance.prefixes, of_family);
  });
}

/// Who writes the routes to nodes' pods here; where nothing does, it is left to an operator.
node::FabricRouteOwner writer_of_pod_routes(const node::FabricState& fabric) {
  using Owner = node::FabricRouteOwner;
  for (const node::RouteTable& table : fabric.route_tables)
    for (const auto& [destination, route] : table.routes)
      if (route.owner == Owner::RouteController || route.owner == Owner::Bgp) return route.owner;
  return Owner::User;
}

}  // namespace

Needed needed_in_vpc(const Compiled& states, std::uint32_t from, IpAddress destination) {
  const node::FabricState& fabric = states.fabric;
  const node::Subnet& subnet = fabric.subnets.at(fabric.instances.at(from).subnet);
  const node::RouteTable& table = fabric.route_tables.at(subnet.route_table);
  const auto* pod_cidr = states.nodes[from].cluster->pod_cidrs().longest_match(destination);
  if (pod_cidr == nullptr && leads_to(table, destination, node::FabricTarget::Local)) {
    return {Gate::Route, "vpc",
            fmt::format("a machine with the address {}", destination.to_string()), ""};
  }
  if (pod_cidr == nullptr) {
    return {
        Gate::Route, "vpc",
        fmt::format("a route of table {} that leads to {}", table.name, destination.to_string()),
        ""};
  }
  if (hands_out_prefixes(fabric, destination.family())) {
    const std::string& peer = fabric.instances.at(pod_cidr->second.value).name;
    return {Gate::Route, "vpc",
            fmt::format("the prefix {}, the pods of {}, handed to its interface",
                        pod_cidr->first.to_string(), peer),
            ""};
  }
  const node::FabricRoute route{.target = node::FabricTarget::Instance,
                                .instance = pod_cidr->second.value,
                                .owner = writer_of_pod_routes(fabric)};
  const node::FabricRoute* there = table.routes.find(pod_cidr->first);
  return {Gate::Route, "vpc",
          fmt::format("the VPC route to {}, the pods of {}", pod_cidr->first.to_string(),
                      fabric.instances.at(route.instance).name),
          node::route_line(fabric, table, pod_cidr->first, route),
          there != nullptr && *there == route};
}

Needed needed_outside(const Compiled& states, const Failure& failure) {
  const IpFields& header = failure.packet.outermost();
  const node::FabricState& fabric = states.fabric;
  const node::Instance& sender = fabric.instances.at(failure.node);
  const auto& table = fabric.route_tables.at(fabric.subnets.at(sender.subnet).route_table);
  const bool is_known = is_known_outside(fabric, header.source, failure.node);
  const bool leads_out = leads_to(table, header.destination, node::FabricTarget::Internet);
  if (leads_out && is_global(header.destination) && !is_known) {
    return {Gate::Route, sender.name,
            fmt::format("a rule that masquerades {}: external hosts cannot answer it",
                        header.source.to_string()),
            ""};
  }
  return needed_in_vpc(states, failure.node, header.destination);
}

Needed needed_answer(const Compiled& states, const Failure& failure) {
  const node::NodeState& state = states.nodes[failure.node];
  const node::FabricState& fabric = states.fabric;
  const node::Subnet& subnet = fabric.subnets.at(fabric.instances.at(failure.node).subnet);
  const IpAddress destination = failure.packet.outermost().destination;
  const auto match = node::lookup(state, destination);
  const IpAddress next_hop = match && match->route.via ? *match->route.via : destination;
  return {Gate::Route, state.member().name,
          fmt::format("a route to {} by a next hop in subnet {}, such as its router: no machine "
                      "there answers for {}",
                      destination.to_string(), subnet.name, next_hop.to_string()),
          ""};
}

Needed needed_filter(const node::FabricState& fabric, const Failure& failure) {
  const IpFields& header = failure.packet.outermost();
  std::string what = fmt::format("a rule that lets protocol {} in from {}", header.protocol,
                                 header.source.to_string());
  if (fabric.groups.empty()) return {Gate::Filter, "vpc", std::move(what), ""};
  return {Gate::Filter, "vpc", fmt::format("{}, in group {}", what, fabric.groups[0].name), ""};
}

}  // namespace overlane::path
