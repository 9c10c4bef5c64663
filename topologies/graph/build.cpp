#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "topologies/graph/family_layout.h"
#include "topologies/graph/topology.h"
#include "topologies/graph/topology_graph.h"
#include "topologies/provider/profile.h"

namespace overlane::graph {
namespace {

using effective::EffectiveDataplane;
using Layouts = ByFamily<FamilyLayout>;

/// Number of pod addresses in a pod CIDR: without the network's, the tunnel's and the last.
std::uint64_t pod_capacity(Family family, std::uint8_t length) {
  const int host_bits = (family == Family::Ipv4 ? 32 : 128) - length;
  const std::uint64_t size = std::uint64_t{1} << std::clamp(host_bits, 0, 32);
  return size > kFirstPodOffset + 1 ? size - kFirstPodOffset - 1 : 0;
}

/// Fails if a node cannot hold the requested pods.
Result<void> check_pods(const TopologyRequest& request, const Layouts& layouts) {
  const EffectiveDataplane& shoot = *request.shoot;
  std::uint64_t most = shoot.max_pods;
  std::string pod_cidr;
  for (const Family family : kFamilies) {
    const FamilyLayout* layout = layouts.in(family);
    if (layout == nullptr) continue;
    const std::uint8_t length =
        layout->delegation ? layout->delegation->pod_cidr_length : layout->pod_cidr_length;
    most = std::min(most, pod_capacity(family, length));
    pod_cidr += fmt::format("{}/{}", pod_cidr.empty() ? "" : " and ", length);
  }
  if (request.pods_per_node <= most) return {};
  return impossible(
      shoot,
      fmt::format("{} pods per node are asked for, but a node takes {} (kubelet maxPods {}, "
                  "pod CIDR {})",
                  request.pods_per_node, most, shoot.max_pods, pod_cidr),
      "spec.kubernetes.kubelet.maxPods", "ask for fewer pods per node");
}

/// Fails if the subnet has no free address for the node.
Result<void> check_address(const TopologyRequest& request, const Layouts& layouts,
                           const NodePlace& place) {
  for (const Family family : kFamilies) {
    const FamilyLayout* layout = layouts.in(family);
    if (layout == nullptr || place.machine < layout->machine_capacity(place.subnet)) continue;
    return impossible(
        *request.shoot,
        fmt::format("subnet {} has no address left for node {} of {}",
                    layout->subnets[place.subnet].to_string(), place.node + 1, request.nodes),
        "spec.networking.nodes", "give a larger node range, or fewer nodes");
  }
  return {};
}

/// The VPC's range: the nodes', enlarged where a document gives subnets outside it, as the
/// validator of hcloud allows.
IpPrefix vpc_range(const FamilyLayout& layout) {
  IpPrefix range = layout.nodes;
  for (const IpPrefix& subnet : layout.subnets)
    while (!range.contains(subnet))
      range = IpPrefix::containing(range.network(), static_cast<std::uint8_t>(range.length() - 1));
  return range;
}

Vpc make_vpc(const TopologyRequest& request, const Layouts& layouts) {
  const EffectiveDataplane& shoot = *request.shoot;
  const bool is_asked = request.route_quota != 0;
  constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
  const auto usual = static_cast<std::uint32_t>(std::min(shoot.route_room.routes, kMax));
  Vpc vpc{
      .name = shoot.routing_domain.key.empty() ? "vpc" : shoot.routing_domain.key,
      .provider = shoot.provider,
      .mtu = shoot.dataplane.link_mtu,
      .cidr = {},
      .route_quota = is_asked ? request.route_quota : usual,
      .route_quota_source = is_asked ? "the topology" : std::string(shoot.route_room.source.text()),
      .foreign_routes = request.foreign_routes};
  for (const Family family : kFamilies)
    if (const FamilyLayout* layout = layouts.in(family)) vpc.cidr[family] = vpc_range(*layout);
  return vpc;
}

std::vector<Subnet> make_subnets(const TopologyRequest& request, const Layouts& layouts,
                                 const std::vector<std::string>& zones) {
  const EffectiveDataplane& shoot = *request.shoot;
  const bool one = shoot.has_one_subnet();
  const bool table_per_zone = provider::profile_of(shoot.provider).routes.table_per_zone;
  std::vector<Subnet> subnets;
  for (std::uint32_t i = 0; i < (one ? 1 : zones.size()); ++i) {
    subnets.push_back({.name = request.name_prefix + (one ? "nodes" : "nodes-" + zones[i]),
                       .zone = one && zones.size() > 1 ? "" : zones[i],
                       .cidr = {},
                       .route_table = table_per_zone ? i : 0});
    for (const Family family : kFamilies)
      if (const FamilyLayout* layout = layouts.in(family))
        subnets.back().cidr[family] = layout->subnets[i];
  }
  return subnets;
}

Node make_node(const Layouts& layouts, const NodePlace& place, const std::string& prefix) {
  Node node{.name = fmt::format("{}node-{}", prefix, place.node + 1),
            .subnet = place.subnet,
            .zone = place.zone,
            .addresses = {}};
  for (const Family family : kFamilies)
    if (const FamilyLayout* layout = layouts.in(family))
      node.addresses[family] = layout->addresses(place);
  return node;
}

Pod make_pod(const Node& node, std::uint32_t number, std::uint64_t pod) {
  Pod made{.node = number, .address = {}};
  for (const Family family : kFamilies) {
    if (const NodeAddresses* addresses = node.addresses.in(family)) {
      const IpPrefix& pod_cidr = addresses->pod_cidr;
      made.address[family] =
          pod_cidr.network() + (kFirstPodOffset + pod % pod_capacity(family, pod_cidr.length()));
    }
  }
  return made;
}

}  // namespace

Result<Topology> Topology::build(const TopologyRequest& request) {
  const EffectiveDataplane& shoot = *request.shoot;
  std::vector<std::string> zones = shoot.zones;
  if (zones.empty()) zones.push_back("zone-1");
  const auto layouts = family_layouts(request, zones);
  if (!layouts) return fail(layouts.error());
  if (auto room = check_pods(request, *layouts); !room) return fail(room.error());

  auto graph = std::make_unique<Graph>(make_vpc(request, *layouts), zones, request.machine);
  const bool table_per_zone = provider::profile_of(shoot.provider).routes.table_per_zone;
  const std::string& prefix = request.name_prefix;
  for (const Subnet& subnet : make_subnets(request, *layouts, zones)) {
    if (subnet.route_table == graph->route_tables().size()) {
      graph->add(RouteTable{prefix + (table_per_zone ? "routes-" + subnet.zone : "routes")});
    }
    graph->add(subnet);
  }

  std::vector<std::uint32_t> used(graph->subnets().size(), 0);
  for (std::uint32_t i = 0; i < request.nodes; ++i) {
    const auto zone = static_cast<std::uint32_t>(i % zones.size());
    const std::uint32_t subnet = shoot.has_one_subnet() ? 0 : zone;
    const NodePlace place{i, zone, subnet, used[subnet]++};
    if (auto room = check_address(request, *layouts, place); !room) return fail(room.error());
    const Node node = make_node(*layouts, place, prefix);
    const std::uint32_t number = graph->add(node);
    for (std::uint32_t p = 0; p < request.pods_per_node; ++p)
      graph->add(make_pod(node, number, request.allocated.pods + p));
  }
  return Topology(std::move(graph));
}

}  // namespace overlane::graph
