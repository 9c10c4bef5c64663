#include "topologies/path/needed.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dataplane/node/text/state_text.h"
#include "topologies/path/trace.h"

namespace overlane::path {
namespace {

using compile::Compiled;
using forward::IpFields;
using node::NodeState;

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

/// The owner of the fabric's routes to pods, or the user if nothing writes such routes.
node::FabricRouteOwner writer_of_pod_routes(const node::FabricState& fabric) {
  using Owner = node::FabricRouteOwner;
  for (const node::RouteTable& table : fabric.route_tables)
    for (const auto& [destination, route] : table.routes)
      if (route.owner == Owner::RouteController || route.owner == Owner::Bgp) return route.owner;
  return Owner::User;
}

/// The route to the peer's pods that the CNI writes, even if its device is missing.
const node::PeerRoute& peer_route(const NodeState& state, const node::Member& peer, Family family) {
  const node::PeerRoutes& routes = state.cluster->routes(family);
  return routes.between(state.member(), peer, routes.can_encrypt());
}

/// The route to the destination that the node has if nothing is removed from its state, as the
/// missing entry.
Needed written_route(const NodeState& state, const IpPrefix& destination, std::string what) {
  NodeState whole = state;
  whole.removed.clear();
  const auto written = node::find_route(whole, destination);
  if (!written) return {Gate::Route, state.member().name, std::move(what), ""};
  const auto match = node::find_route(state, destination);
  return {Gate::Route, state.member().name, std::move(what), to_string(destination, written->route),
          match && match->route == written->route};
}

std::string place_of(const Compiled& states, const Failure& failure) {
  return failure.in_vpc ? "vpc" : states.nodes[failure.node].member().name;
}

/// "1500 bytes (1450 of the pod's packet, 50 of vxlan)".
std::string size_text(const forward::Packet& packet) {
  const std::string bytes = fmt::format("{} bytes", packet.outermost().total_length);
  if (!packet.is_encapsulated()) return bytes;
  return fmt::format("{} ({} of the pod's packet, {} of {})", bytes, packet.inner.total_length,
                     packet.wrapped_bytes() - packet.inner.total_length,
                     to_string(packet.encapsulation));
}

/// The requirement that the table of drop reasons states.
Needed stated(const Compiled& states, const Failure& failure) {
  const DropFacts& row = facts(failure.drop);
  const IpFields& header = failure.packet.outermost();
  return {.gate = row.gate.value_or(Gate::Route),
          .place = place_of(states, failure),
          .what = fmt::format(
              fmt::runtime(row.needed), fmt::arg("source", header.source.to_string()),
              fmt::arg("destination", header.destination.to_string()),
              fmt::arg("protocol", header.protocol), fmt::arg("size", size_text(failure.packet)),
              fmt::arg("encapsulation", to_string(failure.packet.encapsulation)),
              fmt::arg("node", states.nodes[failure.node].member().name)),
          .entry = ""};
}

/// The VPC configuration that a packet from node `from` to the destination needs.
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

/// The missing entry for a packet to an external address without a usable route in the VPC.
Needed needed_outside(const Compiled& states, const Failure& failure) {
  const IpFields& header = failure.packet.outermost();
  const node::FabricState& fabric = states.fabric;
  const node::Instance& sender = fabric.instances.at(failure.node);
  const auto& table = fabric.route_tables.at(fabric.subnets.at(sender.subnet).route_table);
  const bool is_known = is_known_outside(fabric, header.source, failure.node);
  const bool leads_out = leads_to(table, header.destination, node::FabricTarget::Internet);
  if (std::ranges::find(states.nameservers, header.destination) != states.nameservers.end()) {
    return {Gate::Route, sender.name,
            fmt::format("a rule that masquerades {}: the VPC has no route to it by which the "
                        "nameserver could answer",
                        header.source.to_string()),
            ""};
  }
  if (leads_out && is_global(header.destination) && !is_known) {
    return {Gate::Route, sender.name,
            fmt::format("a rule that masquerades {}: external hosts cannot answer it",
                        header.source.to_string()),
            ""};
  }
  return needed_in_vpc(states, failure.node, header.destination);
}

/// The missing entry for a packet whose next hop does not answer in the sender's subnet.
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

/// The missing rule for a packet that a security group drops.
Needed group_rule(const Compiled& states, const Failure& failure) {
  const node::FabricState& fabric = states.fabric;
  const IpFields& header = failure.packet.outermost();
  std::string what = fmt::format("a rule that lets protocol {} in from {}", header.protocol,
                                 header.source.to_string());
  if (fabric.groups.empty()) return {Gate::Filter, "vpc", std::move(what), ""};
  return {Gate::Filter, "vpc", fmt::format("{}, in group {}", what, fabric.groups[0].name), ""};
}

/// The missing entry for a packet that the node sends into the VPC without a tunnel.
Needed through_vpc(const Compiled& states, std::uint32_t from, IpAddress destination) {
  const NodeState& state = states.nodes[from];
  if (node::lookup(state, destination)) return needed_in_vpc(states, from, destination);
  return {Gate::Route, state.member().name,
          fmt::format("a route that leads {} into the VPC, as the default route does",
                      destination.to_string()),
          ""};
}

/// The missing entry of a node on the path to a destination.
Needed way_to(const Compiled& states, std::uint32_t from, IpAddress destination) {
  const NodeState& state = states.nodes[from];
  const std::string& name = state.member().name;
  if (state.find_pod(destination) != nullptr) {
    return written_route(state, IpPrefix::host(destination),
                         fmt::format("the route to its pod {}", destination.to_string()));
  }
  const auto* pod_cidr = state.cluster->pod_cidrs().longest_match(destination);
  if (pod_cidr == nullptr) return through_vpc(states, from, destination);
  if (pod_cidr->second == state.self) {
    return {Gate::Route, name, fmt::format("a pod with the address {}", destination.to_string()),
            ""};
  }
  const node::Member& peer = state.cluster->members()[pod_cidr->second.value];
  const node::PeerRoute& route = peer_route(state, peer, destination.family());
  if (route.via == node::PeerRoute::Via::None) return through_vpc(states, from, destination);
  const node::Device* device = state.find_device(route.device);
  const bool has_device = route.via != node::PeerRoute::Via::Unreachable;
  if (has_device && (device == nullptr || !device->up)) {
    return {Gate::Encapsulation, name,
            fmt::format("the device {}, up: without it the node has no route to {}",
                        route.device.view(), pod_cidr->first.to_string()),
            device == nullptr ? "" : to_string(*device), device != nullptr};
  }
  return written_route(
      state, pod_cidr->first,
      fmt::format("the route to {}, the pods of {}", pod_cidr->first.to_string(), peer.name));
}

/// The missing route of the node that dropped the packet, or, if that node forwards it correctly,
/// of the node that sent it there.
Needed route_for(const Compiled& states, const Failure& failure) {
  if (failure.packet.is_encapsulated()) {
    return through_vpc(states, failure.node, failure.packet.outer.destination);
  }
  const IpAddress destination = failure.packet.inner.destination;
  const auto* pod_cidr = states.nodes[failure.node].cluster->pod_cidrs().longest_match(destination);
  if (pod_cidr == nullptr && failure.in_vpc) return needed_outside(states, failure);
  if (pod_cidr == nullptr) return way_to(states, failure.node, destination);
  const NodeState& owner = states.nodes[pod_cidr->second.value];
  const auto match = node::lookup(owner, destination);
  const bool owner_knows = match && match->pod != nullptr;
  return way_to(states, owner_knows ? failure.node : pod_cidr->second.value, destination);
}

/// The requirement for an expired hop limit: the missing route that causes a routing loop, or a
/// larger hop limit.
Needed hops_for(const Compiled& states, const Failure& failure) {
  const Needed lacking = route_for(states, failure);
  if (!lacking.entry.empty() && !lacking.is_there) return lacking;
  return {Gate::Route, place_of(states, failure), "a larger hop limit (TTL)", ""};
}

Needed neighbour_for(const Compiled& states, const Failure& failure) {
  if (failure.in_vpc) return needed_answer(states, failure);
  const NodeState& state = states.nodes[failure.node];
  const std::string& name = state.member().name;
  const auto* pod_cidr = state.cluster->pod_cidrs().longest_match(failure.packet.inner.destination);
  if (pod_cidr == nullptr) return {Gate::Encapsulation, name, "the far end of the tunnel", ""};
  const node::Member& peer = state.cluster->members()[pod_cidr->second.value];
  const node::PeerRoute& route = peer_route(state, peer, failure.packet.inner.destination.family());
  return {Gate::Encapsulation, name,
          fmt::format("the neighbour and forwarding entries of {}'s end of {}", peer.name,
                      route.device.view()),
          ""};
}

/// The requirement for an address in no WireGuard peer's allowed IPs: the destination when
/// encapsulating, the source when decapsulating.
Needed allowed_ips(const Compiled& states, const Failure& failure) {
  const NodeState& state = states.nodes[failure.node];
  const IpFields& inner = failure.packet.inner;
  const IpAddress address = failure.packet.is_encapsulated() ? inner.source : inner.destination;
  return {Gate::Encapsulation, state.member().name,
          fmt::format("{} among the allowed IPs of the WireGuard peer", address.to_string()), ""};
}

Needed tunnel_source(const Compiled& states, const Failure& failure) {
  const NodeState& state = states.nodes[failure.node];
  const IpAddress source = failure.packet.outermost().source;
  const node::TunnelGuard* guard = node::find_guard(
      *state.filter, failure.packet.outermost().protocol, failure.packet.outer_destination_port);
  const bool is_listed = guard != nullptr && guard->members;
  return {Gate::Filter, state.member().name,
          fmt::format("{} among those that tunnel packets are accepted from", source.to_string()),
          is_listed ? node::member_line(source) : ""};
}

/// The missing route for a packet whose source address the pod may not use.
Needed route_back(const Compiled& states, const Failure& failure) {
  const IpAddress source = failure.packet.outermost().source;
  Needed lacking = written_route(
      states.nodes[failure.node], IpPrefix::host(source),
      fmt::format("the route back to the pod {}, which shows that it may send as this",
                  source.to_string()));
  lacking.gate = Gate::AntiSpoofing;
  return lacking;
}

Needed forwarding(const Compiled& states, const Failure& failure) {
  Needed lacking = stated(states, failure);
  lacking.entry = node::forwarding_line({}, failure.packet.outermost().family());
  return lacking;
}

Needed receiving_device(const Compiled& states, const Failure& failure) {
  Needed lacking = stated(states, failure);
  const node::Device* uplink = states.nodes[failure.node].uplink();
  if (uplink != nullptr) lacking.entry = to_string(*uplink);
  lacking.is_there = true;
  return lacking;
}

/// The function that finds the missing configuration, or its line, for a drop reason.
struct Search {
  Drop drop;
  Needed (*find)(const Compiled& states, const Failure& failure);
};

constexpr std::array kSearches = {
    Search{Drop::NoRoute, route_for},          Search{Drop::BlackholeRoute, route_for},
    Search{Drop::UnreachableRoute, route_for}, Search{Drop::ProhibitRoute, route_for},
    Search{Drop::NoSuchPod, route_for},        Search{Drop::FabricNoRoute, route_for},
    Search{Drop::FabricBlackhole, route_for},  Search{Drop::TtlExpired, hops_for},
    Search{Drop::FabricTtlExpired, hops_for},  Search{Drop::NoNeighbour, neighbour_for},
    Search{Drop::AllowedIps, allowed_ips},     Search{Drop::SourceSpoofed, route_back},
    Search{Drop::TunnelSource, tunnel_source}, Search{Drop::FabricPacketFilter, group_rule},
    Search{Drop::NotLocal, forwarding},        Search{Drop::ReceiveMtuExceeded, receiving_device},
};

constexpr const Search* search_for(Drop drop) {
  const auto* found = std::ranges::find(kSearches, drop, &Search::drop);
  return found == kSearches.end() ? nullptr : found;
}

static_assert(std::ranges::all_of(kDrops,
                                  [](const DropFacts& row) {
                                    return !row.gate || !row.needed.empty() ||
                                           search_for(row.drop) != nullptr;
                                  }),
              "a drop reason with a gate needs a text in its row or a search here");

}  // namespace

Needed needed(const Compiled& states, const Failure& failure) {
  const Search* search = search_for(failure.drop);
  return search == nullptr ? stated(states, failure) : search->find(states, failure);
}

}  // namespace overlane::path
