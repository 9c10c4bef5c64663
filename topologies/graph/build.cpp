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

/// The zones' subnets: as the infrastructure configuration says, else equal parts of the node
/// range.
std::vector<Subnet> zone_subnets(const EffectiveDataplane& shoot, const Ipv4Prefix& nodes,
                                 bool table_per_zone) {
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
                    .route_table = table_per_zone ? i : 0});
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

  const ProviderNetwork& provider = provider_network(shoot.provider);
  auto graph = std::make_unique<Graph>(
      Vpc{.name = shoot.routing_domain.key.empty() ? "vpc" : shoot.routing_domain.key,
          .provider = shoot.provider,
          .mtu = shoot.dataplane.link_mtu,
          .cidr = *nodes,
          .route_quota = request.route_quota != 0 ? request.route_quota : provider.route_quota,
          .route_quota_source =
              request.route_quota != 0 ? "the topology" : std::string(provider.route_quota_source)},
      request.machine);

  const std::vector<Subnet> zones = zone_subnets(shoot, *nodes, provider.route_table_per_zone);
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
    const std::uint32_t slice_size = std::uint32_t{1} << (32 - shoot.node_cidr_mask_size);
    const Ipv4Prefix slice{{pods->network.bits + i * slice_size}, shoot.node_cidr_mask_size};
    const std::uint32_t node =
        graph->add(Node{.name = fmt::format("node-{}", i + 1),
                        .address = {cidr.network.bits + kFirstMachineOffset + used[zone]++},
                        .pod_slice = slice,
                        .subnet = zone});
    for (std::uint32_t p = 0; p < request.pods_per_node; ++p) {
      graph->add(Pod{.address = {slice.network.bits + kFirstPodOffset + p}, .node = node});
    }
  }
  return Topology(std::move(graph));
}

}  // namespace overlane::graph
