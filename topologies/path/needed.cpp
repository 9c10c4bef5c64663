#include "topologies/path/needed.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/node/text/fabric_text.h"
#include "dataplane/node/text/node_text.h"
#include "topologies/path/trace.h"

namespace overlane::path {

std::string_view to_string(Gate gate) {
  switch (gate) {
    case Gate::Route:
      return "route";
    case Gate::Encapsulation:
      return "encapsulation";
    case Gate::AntiSpoofing:
      return "anti-spoofing";
    case Gate::Filter:
      return "filter";
    case Gate::Mtu:
      return "mtu";
  }
  return "";
}

std::optional<Gate> gate_of(Drop drop) {
  switch (drop) {
    case Drop::NoRoute:
    case Drop::BlackholeRoute:
    case Drop::UnreachableRoute:
    case Drop::ProhibitRoute:
    case Drop::NoDevice:
    case Drop::DeviceDown:
    case Drop::NoSuchPod:
    case Drop::NotLocal:
    case Drop::Martian:
    case Drop::TtlExpired:
    case Drop::NodeGone:
    case Drop::FabricNoRoute:
    case Drop::FabricBlackhole:
    case Drop::FabricForeignInstance:
    case Drop::FabricTtlExpired:
      return Gate::Route;
    case Drop::UnsupportedProtocol:
    case Drop::NoNeighbour:
    case Drop::TunnelUnknown:
    case Drop::TunnelLoop:
    case Drop::AllowedIps:
    case Drop::EcnCorrupted:
      return Gate::Encapsulation;
    case Drop::RpFilter:
    case Drop::SourceSpoofed:
    case Drop::FabricSourceCheck:
    case Drop::FabricDestinationCheck:
      return Gate::AntiSpoofing;
    case Drop::PacketFilter:
    case Drop::TunnelSource:
    case Drop::ConntrackFull:
    case Drop::NatExhausted:
    case Drop::NatDeviceChanged:
    case Drop::NoEndpoints:
    case Drop::FabricProtocolFilter:
    case Drop::FabricPacketFilter:
      return Gate::Filter;
    case Drop::MtuExceeded:
    case Drop::ReceiveMtuExceeded:
    case Drop::FabricMtuExceeded:
    case Drop::ReassemblyTimeout:
    case Drop::ReassemblyOverflow:
    case Drop::FabricFragment:
      return Gate::Mtu;
    case Drop::Malformed:
    case Drop::BadChecksum:
    case Drop::FabricAllowance:
    case Drop::CpuBacklogFull:
    case Drop::NicQueueFull:
    case Drop::FabricQueueFull:
    case Drop::SocketBufferFull:
    case Drop::NoSocket:
    case Drop::RandomLoss:
      return std::nullopt;
  }
  return std::nullopt;
}

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

/// Who writes the routes to nodes' pods here; where nothing does, it is left to an operator.
node::FabricRouteOwner writer_of_pod_routes(const node::FabricState& fabric) {
  using Owner = node::FabricRouteOwner;
  for (const node::RouteTable& table : fabric.route_tables)
    for (const auto& [destination, route] : table.routes)
      if (route.owner == Owner::RouteController || route.owner == Owner::Bgp) return route.owner;
  return Owner::User;
}

/// The route that the CNI writes, also if its device is missing.
const node::PeerRoute& peer_route(const NodeState& state, const node::Member& peer, Family family) {
  const node::PeerRoutes& routes = state.cluster->routes(family);
  return routes.between(state.member(), peer, routes.can_encrypt());
}

/// The route that the CNI writes is missing, whatever else was removed.
Needed written_route(const NodeState& state, const IpPrefix& destination, std::string what) {
  NodeState whole = state;
  whole.removed.clear();
  const auto written = node::find_route(whole, destination);
  if (!written) return {Gate::Route, state.member().name, std::move(what), ""};
  const auto match = node::find_route(state, destination);
  return {Gate::Route, state.member().name, std::move(what), to_string(destination, written->route),
          match && match->route == written->route};
}

std::string pods_note(const Failure& failure) {
  return failure.packet.is_encapsulated()
             ? fmt::format(" ({} of the pod's packet, {} of {})", failure.packet.inner.total_length,
                           failure.packet.wrapped_bytes() - failure.packet.inner.total_length,
                           to_string(failure.packet.encapsulation))
             : "";
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

/// For a packet without a usable route in the VPC.
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

/// For a packet whose next hop does not answer in the sender's subnet.
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

/// For a packet that a security group drops.
Needed needed_filter(const node::FabricState& fabric, const Failure& failure) {
  const IpFields& header = failure.packet.outermost();
  std::string what = fmt::format("a rule that lets protocol {} in from {}", header.protocol,
                                 header.source.to_string());
  if (fabric.groups.empty()) return {Gate::Filter, "vpc", std::move(what), ""};
  return {Gate::Filter, "vpc", fmt::format("{}, in group {}", what, fabric.groups[0].name), ""};
}

/// Without a route on the node, the VPC decides.
Needed through_vpc(const Compiled& states, std::uint32_t from, IpAddress destination) {
  const NodeState& state = states.nodes[from];
  if (node::lookup(state, destination)) return needed_in_vpc(states, from, destination);
  return {Gate::Route, state.member().name,
          fmt::format("a route that leads {} into the VPC, as the default route does",
                      destination.to_string()),
          ""};
}

/// The missing part of the path from a node to a destination.
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

/// For an expired hop limit: a routing loop, or too many hops on the correct path.
Needed hops_for(const Compiled& states, const Failure& failure) {
  const Needed lacking = route_for(states, failure);
  if (!lacking.entry.empty() && !lacking.is_there) return lacking;
  return {Gate::Route, failure.in_vpc ? "vpc" : states.nodes[failure.node].member().name,
          "a larger hop limit (TTL)", ""};
}

Needed neighbour_for(const NodeState& state, const Failure& failure) {
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

/// For an address in no peer's allowed IPs: the destination when encapsulating, the source when
/// decapsulating.
Needed allowed_ips(const NodeState& state, const Failure& failure) {
  const IpFields& inner = failure.packet.inner;
  const IpAddress address = failure.packet.is_encapsulated() ? inner.source : inner.destination;
  return {Gate::Encapsulation, state.member().name,
          fmt::format("{} among the allowed IPs of the WireGuard peer", address.to_string()), ""};
}

Needed tunnel_source(const NodeState& state, const Failure& failure) {
  const IpAddress source = failure.packet.outermost().source;
  const node::TunnelGuard* guard = node::find_guard(
      *state.filter, failure.packet.outermost().protocol, failure.packet.outer_destination_port);
  const bool is_listed = guard != nullptr && guard->members;
  return {Gate::Filter, state.member().name,
          fmt::format("{} among those that tunnel packets are accepted from", source.to_string()),
          is_listed ? node::member_line(source) : ""};
}

}  // namespace

Needed needed(const Compiled& states, const Failure& failure) {
  const NodeState& state = states.nodes[failure.node];
  const std::string& name = state.member().name;
  const IpFields& header = failure.packet.outermost();
  const Gate gate = gate_of(failure.drop).value_or(Gate::Route);
  switch (failure.drop) {
    case Drop::NoRoute:
    case Drop::BlackholeRoute:
    case Drop::UnreachableRoute:
    case Drop::ProhibitRoute:
    case Drop::NoSuchPod:
    case Drop::FabricNoRoute:
    case Drop::FabricBlackhole:
      return route_for(states, failure);
    case Drop::FabricForeignInstance:
      return {gate, "vpc",
              fmt::format("a route table without another owner's route to {}, or pods that it does "
                          "not cover",
                          header.destination.to_string()),
              ""};
    case Drop::TtlExpired:
    case Drop::FabricTtlExpired:
      return hops_for(states, failure);
    case Drop::NoDevice:
    case Drop::DeviceDown:
      return {gate, name, "the device towards the VPC, up", ""};
    case Drop::NodeGone:
      return {gate, name, "the node, running", ""};
    case Drop::NotLocal:
      return {gate, name, "forwarding switched on", node::forwarding_line({}, header.family())};
    case Drop::Martian:
      return {gate, name, "addresses that may be forwarded", ""};
    case Drop::NoNeighbour:
      return failure.in_vpc ? needed_answer(states, failure) : neighbour_for(state, failure);
    case Drop::TunnelUnknown:
      return {gate, name,
              fmt::format("a device, up, that takes {} from {}",
                          to_string(failure.packet.encapsulation), header.source.to_string()),
              ""};
    case Drop::UnsupportedProtocol:
      return {gate, name, fmt::format("something that takes protocol {}", header.protocol), ""};
    case Drop::TunnelLoop:
      return {gate, name, "a route for the outer packet that does not lead into the tunnel", ""};
    case Drop::AllowedIps:
      return allowed_ips(state, failure);
    case Drop::EcnCorrupted:
      return {gate, name, "an inner packet that can carry the congestion mark", ""};
    case Drop::SourceSpoofed: {
      Needed lacking = written_route(
          state, IpPrefix::host(header.source),
          fmt::format("the route back to the pod {}, which shows that it may send as this",
                      header.source.to_string()));
      lacking.gate = gate;
      return lacking;
    }
    case Drop::RpFilter:
      return {gate, name,
              fmt::format("a way back to {} through the device it came in by, or rp_filter off",
                          header.source.to_string()),
              ""};
    case Drop::FabricSourceCheck:
      return {gate, "vpc",
              fmt::format("{} among the addresses that {} may send as, or its source/destination "
                          "check off",
                          header.source.to_string(), name),
              ""};
    case Drop::FabricDestinationCheck:
      return {gate, "vpc",
              fmt::format("{} among the addresses that its instance takes, or the "
                          "source/destination check off",
                          header.destination.to_string()),
              ""};
    case Drop::TunnelSource:
      return tunnel_source(state, failure);
    case Drop::PacketFilter:
      return {gate, name, "a pod that does not send tunnel packets: Felix refuses them", ""};
    case Drop::ConntrackFull:
    case Drop::NatExhausted:
    case Drop::NatDeviceChanged:
      return {gate, name, "room for its connection", ""};
    case Drop::NoEndpoints:
      return {gate, name, "an endpoint of the Service at this port", ""};
    case Drop::FabricProtocolFilter:
      return {gate, "vpc",
              fmt::format("a fabric that carries protocol {}: routed mode or VXLAN does without it",
                          header.protocol),
              ""};
    case Drop::FabricPacketFilter:
      return needed_filter(states.fabric, failure);
    case Drop::FabricFragment:
    case Drop::ReassemblyTimeout:
    case Drop::ReassemblyOverflow:
      return {gate, failure.in_vpc ? "vpc" : name,
              "packets that fit without being cut: a smaller MTU of the pods", ""};
    case Drop::MtuExceeded:
    case Drop::FabricMtuExceeded:
      return {gate, failure.in_vpc ? "vpc" : name,
              fmt::format("a larger MTU there, or pods that send less than these {} bytes{}",
                          header.total_length, pods_note(failure)),
              ""};
    case Drop::ReceiveMtuExceeded:
      return {gate, name,
              fmt::format("a larger MTU of the device that receives it, or senders of less than "
                          "these {} bytes{}",
                          header.total_length, pods_note(failure)),
              state.uplink() == nullptr ? "" : to_string(*state.uplink()), true};
    case Drop::Malformed:
    case Drop::BadChecksum:
    case Drop::FabricAllowance:
    case Drop::CpuBacklogFull:
    case Drop::NicQueueFull:
    case Drop::FabricQueueFull:
    case Drop::SocketBufferFull:
    case Drop::NoSocket:
    case Drop::RandomLoss:
      return {gate, failure.in_vpc ? "vpc" : name, "", ""};
  }
  return {};
}

}  // namespace overlane::path
