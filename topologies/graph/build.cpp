#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "topologies/graph/provider_network.h"
#include "topologies/graph/topology.h"
#include "topologies/graph/topology_graph.h"

namespace overlane::graph {
namespace {

using effective::EffectiveDataplane;

tl::unexpected<Finding> impossible(const EffectiveDataplane& shoot, std::string message,
                                   std::string path, std::string hint) {
  const ObjectName object{"Shoot", shoot.namespace_, shoot.name};
  return fail(Finding{.rule = "impossible-topology",
                      .severity = Severity::Error,
                      .message = fmt::format("{}: {}", object.qualified(), message),
                      .object = object,
                      .path = std::move(path),
                      .place = shoot.place,
                      .hint = std::move(hint)});
}

/// Addresses that machines can get in a subnet: not the kept first ones, not the broadcast address.
std::uint64_t machine_capacity(const Ipv4Prefix& subnet) {
  const std::uint64_t size = std::uint64_t{1} << (32 - subnet.length);
  return size > kFirstMachineOffset + 1 ? size - kFirstMachineOffset - 1 : 0;
}

/// Cuts `range` into at least `count` equal parts.
std::vector<Ipv4Prefix> split(const Ipv4Prefix& range, std::size_t count) {
  const auto bits = static_cast<std::uint8_t>(std::bit_width(count - 1));
  const auto length = static_cast<std::uint8_t>(std::min(32, range.length + bits));
  std::vector<Ipv4Prefix> parts;
  for (std::uint32_t i = 0; i < count; ++i) {
    parts.push_back({{range.network.bits + (i << (32 - length))}, length});
  }
  return parts;
}

/// The i-th network of `length` (at least the range's own, at most 64) in an IPv6 range.
IpPrefix nth_network(const IpPrefix& range, std::uint8_t length, std::uint64_t i) {
  IpAddress network = range.network();
  network.high += i << (kIpv6SubnetLength - length);
  return IpPrefix::containing(network, length);
}

/// The pod and node ranges of a dual-stack shoot.
struct Ipv6Ranges {
  IpPrefix pods;
  IpPrefix nodes;
};

std::optional<IpPrefix> first_ipv6(const std::vector<IpPrefix>& prefixes) {
  const auto found = std::ranges::find_if_not(prefixes, &IpPrefix::is_ipv4);
  return found == prefixes.end() ? std::nullopt : std::optional(*found);
}

/// Nothing for an IPv4 shoot.
Result<std::optional<Ipv6Ranges>> ipv6_ranges(const TopologyRequest& request) {
  const EffectiveDataplane& shoot = *request.shoot;
  const auto pods = first_ipv6(shoot.pods);
  const auto nodes = first_ipv6(shoot.nodes);
  if (!pods && !nodes) return std::optional<Ipv6Ranges>{};
  if (!pods || !nodes) {
    return impossible(shoot, "of IPv6 there is a pod range or a node range, but not both",
                      "spec.networking", "give both in status.networking");
  }
  const std::size_t zones = std::max<std::size_t>(shoot.zones.size(), 1);
  const auto holds = [](const IpPrefix& range, std::uint64_t count) {
    if (range.length() > kIpv6SubnetLength) return false;
    const int bits = kIpv6SubnetLength - range.length();
    return bits >= 32 || count <= std::uint64_t{1} << bits;
  };
  if (!holds(*pods, request.nodes) || !holds(*nodes, zones)) {
    return impossible(
        shoot,
        fmt::format("the IPv6 ranges {} and {} do not hold a /{} for each of {} nodes and {} zones",
                    pods->to_string(), nodes->to_string(), kIpv6SubnetLength, request.nodes, zones),
        "spec.networking", "give larger ranges");
  }
  return std::optional(Ipv6Ranges{*pods, *nodes});
}

/// The zones' subnets: as the infrastructure configuration says, else equal parts of the node
/// range.
std::vector<Subnet> zone_subnets(const EffectiveDataplane& shoot, const Ipv4Prefix& nodes,
                                 const std::optional<Ipv6Ranges>& ipv6, bool table_per_zone) {
  std::vector<std::string> zones = shoot.zones;
  if (zones.empty()) zones.push_back("zone-1");
  const auto equal_parts = split(nodes, zones.size());
  std::vector<Subnet> list;
  for (std::uint32_t i = 0; i < zones.size(); ++i) {
    const auto given =
        std::ranges::find(shoot.zone_subnets, zones[i], &effective::ZoneSubnet::zone);
    list.push_back({.name = "nodes-" + zones[i],
                    .zone = zones[i],
                    .cidr = given == shoot.zone_subnets.end() ? equal_parts[i] : given->workers,
                    .route_table = table_per_zone ? i : 0,
                    .ipv6 = {}});
    if (ipv6) list.back().ipv6 = nth_network(ipv6->nodes, kIpv6SubnetLength, i);
  }
  return list;
}

std::optional<Ipv4Prefix> first_ipv4(const std::vector<IpPrefix>& prefixes) {
  const auto found = std::ranges::find_if(prefixes, &IpPrefix::is_ipv4);
  return found == prefixes.end() ? std::nullopt : found->ipv4();
}

/// Why the shoot cannot hold what is asked, if so.
Result<void> check_room(const TopologyRequest& request, const Ipv4Prefix& pods) {
  const EffectiveDataplane& shoot = *request.shoot;
  const std::uint8_t mask = shoot.node_cidr_mask_size;
  const std::int64_t slices = mask < pods.length ? 0 : std::int64_t{1} << (mask - pods.length);
  if (request.nodes > slices) {
    return impossible(
        shoot,
        fmt::format("{} nodes are asked for, but the pod range {} holds {} slices of /{}",
                    request.nodes, pods.to_string(), slices, mask),
        "spec.networking.pods", "give a larger pod range, a longer node mask, or fewer nodes");
  }
  const std::uint32_t slice_size = std::uint32_t{1} << (32 - mask);
  const std::uint32_t room =
      slice_size > kFirstPodOffset + 1 ? slice_size - kFirstPodOffset - 1 : 0;
  const std::uint32_t most = std::min(room, shoot.max_pods);
  if (request.pods_per_node > most) {
    return impossible(
        shoot,
        fmt::format("{} pods per node are asked for, but a node takes {} (kubelet maxPods {}, "
                    "slice /{})",
                    request.pods_per_node, most, shoot.max_pods, mask),
        "spec.kubernetes.kubelet.maxPods", "ask for fewer pods per node");
  }
  return {};
}

/// Which node of the shoot, and which machine of its zone.
struct Place {
  std::uint32_t node;
  std::uint32_t zone;
  std::uint32_t machine;
};

Node make_node(const TopologyRequest& request, const Ipv4Prefix& pods,
               const std::optional<Ipv6Ranges>& ipv6, const Subnet& subnet, const Place& place) {
  const std::uint8_t mask = request.shoot->node_cidr_mask_size;
  const std::uint32_t slice_size = std::uint32_t{1} << (32 - mask);
  const std::uint32_t offset = kFirstMachineOffset + place.machine;
  Node node{.name = fmt::format("node-{}", place.node + 1),
            .address = {subnet.cidr.network.bits + offset},
            .pod_slice = {{pods.network.bits + place.node * slice_size}, mask},
            .subnet = place.zone,
            .ipv6 = {}};
  if (ipv6) {
    node.ipv6 = NodeIpv6{.address = subnet.ipv6->network() + offset,
                         .pod_slice = nth_network(ipv6->pods, kIpv6SubnetLength, place.node)};
  }
  return node;
}

Pod make_pod(const Node& node, std::uint32_t number, std::uint32_t pod) {
  const std::uint32_t offset = kFirstPodOffset + pod;
  Pod made{.address = {node.pod_slice.network.bits + offset}, .node = number, .ipv6 = {}};
  if (node.ipv6) made.ipv6 = node.ipv6->pod_slice.network() + offset;
  return made;
}

}  // namespace

Result<Topology> Topology::build(const TopologyRequest& request) {
  const EffectiveDataplane& shoot = *request.shoot;
  const auto pods = first_ipv4(shoot.pods);
  const auto nodes = first_ipv4(shoot.nodes);
  if (!pods || !nodes) {
    return impossible(shoot, "an IPv4 pod range and node range are needed", "spec.networking",
                      "set spec.networking.pods and spec.networking.nodes");
  }
  if (auto room = check_room(request, *pods); !room) return fail(room.error());

  const auto ipv6 = ipv6_ranges(request);
  if (!ipv6) return fail(ipv6.error());

  const ProviderNetwork& provider = provider_network(shoot.provider);
  auto graph = std::make_unique<Graph>(
      Vpc{.name = shoot.routing_domain.key.empty() ? "vpc" : shoot.routing_domain.key,
          .provider = shoot.provider,
          .mtu = shoot.dataplane.link_mtu,
          .cidr = *nodes,
          .ipv6 = *ipv6 ? std::optional((*ipv6)->nodes) : std::nullopt,
          .route_quota = request.route_quota != 0 ? request.route_quota : provider.route_quota,
          .route_quota_source =
              request.route_quota != 0 ? "the topology" : std::string(provider.route_quota_source)},
      request.machine);

  const std::vector<Subnet> zones =
      zone_subnets(shoot, *nodes, *ipv6, provider.route_table_per_zone);
  for (const Subnet& subnet : zones) {
    if (subnet.route_table == graph->route_tables().size()) {
      graph->add(RouteTable{provider.route_table_per_zone ? "routes-" + subnet.zone : "routes"});
    }
    graph->add(subnet);
  }

  std::vector<std::uint32_t> used(zones.size(), 0);
  for (std::uint32_t i = 0; i < request.nodes; ++i) {
    const auto zone = static_cast<std::uint32_t>(i % zones.size());
    const Ipv4Prefix& cidr = zones[zone].cidr;
    if (used[zone] >= machine_capacity(cidr)) {
      return impossible(shoot,
                        fmt::format("subnet {} has no address left for node {} of {}",
                                    cidr.to_string(), i + 1, request.nodes),
                        "spec.networking.nodes", "give a larger node range, or fewer nodes");
    }
    const Node node = make_node(request, *pods, *ipv6, zones[zone], {i, zone, used[zone]++});
    const std::uint32_t number = graph->add(node);
    for (std::uint32_t p = 0; p < request.pods_per_node; ++p)
      graph->add(make_pod(node, number, p));
  }
  return Topology(std::move(graph));
}

}  // namespace overlane::graph
