#include "topologies/graph/topology.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <sstream>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/graphviz.hpp>
#include <fmt/format.h>

#include "topologies/graph/family_layout.h"
#include "topologies/provider/profile.h"

namespace overlane::graph {

enum class VertexKind : std::uint8_t { Vpc, RouteTable, Subnet, Node, Pod };

/// A vertex: its kind and index within the kind.
struct Vertex {
  VertexKind kind = VertexKind::Vpc;
  std::uint32_t number = 0;
};

/// Edges point from the whole to its parts: VPC → subnet → node → pod, and subnet → route table.
using BoostGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Vertex>;

/// The storage behind Topology; only this folder's .cpp files see it.
class Topology::Graph {
 public:
  Graph(Vpc vpc, std::vector<std::string> zones, Machine machine)
      : vpc_(std::move(vpc)), zones_(std::move(zones)), machine_(machine) {
    root_ = add(VertexKind::Vpc, 0);
  }

  std::uint32_t add(RouteTable table);
  std::uint32_t add(Subnet subnet);
  std::uint32_t add(Node node);
  std::uint32_t add(Pod pod);

  /// The indices of `vertex`'s children of this kind, ascending.
  std::vector<std::uint32_t> parts(BoostGraph::vertex_descriptor vertex, VertexKind kind) const;

  const Vpc& vpc() const { return vpc_; }
  const std::vector<std::string>& zones() const { return zones_; }
  const Machine& machine() const { return machine_; }
  const std::vector<RouteTable>& route_tables() const { return route_tables_; }
  const std::vector<Subnet>& subnets() const { return subnets_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Pod>& pods() const { return pods_; }
  const BoostGraph& boost() const { return graph_; }
  BoostGraph::vertex_descriptor node_vertex(std::uint32_t node) const {
    return node_vertices_[node];
  }

 private:
  using Descriptor = BoostGraph::vertex_descriptor;

  Descriptor add(VertexKind kind, std::uint32_t number) {
    return boost::add_vertex(Vertex{kind, number}, graph_);
  }

  Vpc vpc_;
  std::vector<std::string> zones_;
  Machine machine_;
  std::vector<RouteTable> route_tables_;
  std::vector<Subnet> subnets_;
  std::vector<Node> nodes_;
  std::vector<Pod> pods_;

  BoostGraph graph_;
  Descriptor root_;
  std::vector<Descriptor> table_vertices_;
  std::vector<Descriptor> subnet_vertices_;
  std::vector<Descriptor> node_vertices_;
};

std::uint32_t Topology::Graph::add(RouteTable table) {
  const auto number = static_cast<std::uint32_t>(route_tables_.size());
  table_vertices_.push_back(add(VertexKind::RouteTable, number));
  boost::add_edge(root_, table_vertices_.back(), graph_);
  route_tables_.push_back(std::move(table));
  return number;
}

std::uint32_t Topology::Graph::add(Subnet subnet) {
  const auto number = static_cast<std::uint32_t>(subnets_.size());
  subnet_vertices_.push_back(add(VertexKind::Subnet, number));
  boost::add_edge(root_, subnet_vertices_.back(), graph_);
  boost::add_edge(subnet_vertices_.back(), table_vertices_[subnet.route_table], graph_);
  subnets_.push_back(std::move(subnet));
  return number;
}

std::uint32_t Topology::Graph::add(Node node) {
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  node_vertices_.push_back(add(VertexKind::Node, number));
  boost::add_edge(subnet_vertices_[node.subnet], node_vertices_.back(), graph_);
  nodes_.push_back(std::move(node));
  return number;
}

std::uint32_t Topology::Graph::add(Pod pod) {
  const auto number = static_cast<std::uint32_t>(pods_.size());
  boost::add_edge(node_vertices_[pod.node], add(VertexKind::Pod, number), graph_);
  pods_.push_back(pod);
  return number;
}

std::vector<std::uint32_t> Topology::Graph::parts(Descriptor vertex, VertexKind kind) const {
  std::vector<std::uint32_t> numbers;
  for (auto [edge, end] = boost::out_edges(vertex, graph_); edge != end; ++edge) {
    const Vertex& part = graph_[boost::target(*edge, graph_)];
    if (part.kind == kind) numbers.push_back(part.number);
  }
  return numbers;
}

Topology::Topology(std::unique_ptr<Graph> graph) : graph_(std::move(graph)) {}
Topology::Topology(const Topology& other) : graph_(std::make_unique<Graph>(*other.graph_)) {}
Topology::Topology(Topology&& other) noexcept = default;
Topology& Topology::operator=(Topology other) noexcept {
  graph_ = std::move(other.graph_);
  return *this;
}
Topology::~Topology() = default;

const Vpc& Topology::vpc() const {
  return graph_->vpc();
}
const std::vector<std::string>& Topology::zones() const {
  return graph_->zones();
}
const std::vector<RouteTable>& Topology::route_tables() const {
  return graph_->route_tables();
}
const std::vector<Subnet>& Topology::subnets() const {
  return graph_->subnets();
}
const std::vector<Node>& Topology::nodes() const {
  return graph_->nodes();
}
const std::vector<Pod>& Topology::pods() const {
  return graph_->pods();
}
const Machine& Topology::machine() const {
  return graph_->machine();
}

Topology::PodRange Topology::pods_of(std::uint32_t node) const {
  const auto pods = graph_->parts(graph_->node_vertex(node), VertexKind::Pod);
  if (pods.empty()) return {};
  return {pods.front(), static_cast<std::uint32_t>(pods.size())};
}

namespace {

using effective::EffectiveDataplane;

using Layouts = ByFamily<FamilyLayout>;

/// Number of pod addresses in a pod CIDR: all but the network's, the tunnel's and the last one.
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
      fmt::format("{} pods per node are requested, but a node takes {} (kubelet maxPods {}, "
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

/// The VPC's range: the node range, enlarged to contain subnets that a document gives outside it,
/// as the validator of hcloud allows.
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

/// The values of both families, one line each.
template <typename T, typename Text>
std::string lines(const ByFamily<T>& values, Text text) {
  std::string all;
  for (const Family family : kFamilies)
    if (const T* value = values.in(family)) all += "\\n" + text(*value);
  return all;
}

/// A filter for boost::filtered_graph that omits pods after the first `most_pods` of each node.
struct Shown {
  const Topology* topology = nullptr;
  const BoostGraph* graph = nullptr;
  std::uint32_t most_pods = 0;

  bool operator()(BoostGraph::vertex_descriptor v) const {
    const Vertex& vertex = (*graph)[v];
    if (vertex.kind != VertexKind::Pod) return true;
    const Pod& pod = topology->pods()[vertex.number];
    return vertex.number - topology->pods_of(pod.node).first < most_pods;
  }
};

std::string label(const Topology& topology, const Vertex& vertex, std::uint32_t most_pods) {
  switch (vertex.kind) {
    case VertexKind::Vpc: {
      const Vpc& vpc = topology.vpc();
      return fmt::format("VPC {}\\n{} · MTU {}", vpc.name, to_string(vpc.provider), vpc.mtu);
    }
    case VertexKind::RouteTable:
      return "route table\\n" + topology.route_tables()[vertex.number].name;
    case VertexKind::Subnet: {
      const Subnet& subnet = topology.subnets()[vertex.number];
      return fmt::format("subnet{}\\n{}",
                         lines(subnet.cidr, [](const IpPrefix& cidr) { return cidr.to_string(); }),
                         subnet.zone.empty() ? "all zones" : subnet.zone);
    }
    case VertexKind::Node: {
      const Node& node = topology.nodes()[vertex.number];
      const std::uint32_t pods = topology.pods_of(vertex.number).count;
      const std::string hidden =
          pods > most_pods ? fmt::format("\\n{} pods, {} shown", pods, most_pods) : "";
      return node.name +
             lines(node.addresses,
                   [](const NodeAddresses& addresses) {
                     return fmt::format("{}\\npods {}", addresses.address.to_string(),
                                        addresses.pod_cidr.to_string());
                   }) +
             hidden;
    }
    case VertexKind::Pod:
      return "pod" + lines(topology.pods()[vertex.number].address,
                           [](const IpAddress& address) { return address.to_string(); });
  }
  return "";
}

std::string_view shape(VertexKind kind) {
  switch (kind) {
    case VertexKind::Vpc:
      return "doubleoctagon";
    case VertexKind::RouteTable:
      return "note";
    case VertexKind::Subnet:
      return "folder";
    case VertexKind::Node:
      return "box3d";
    case VertexKind::Pod:
      return "ellipse";
  }
  return "box";
}

}  // namespace

Result<Topology> Topology::build(const TopologyRequest& request) {
  assert(request.shoot != nullptr && request.nodes >= 1 && request.pods_per_node >= 1);
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

std::string Topology::to_graphviz(std::uint32_t most_pods) const {
  const BoostGraph& graph = graph_->boost();
  const boost::filtered_graph view(graph, boost::keep_all{}, Shown{this, &graph, most_pods});
  std::ostringstream text;
  boost::write_graphviz(
      text, view,
      [&](std::ostream& out, auto v) {
        out << fmt::format("[label=\"{}\", shape={}]", label(*this, graph[v], most_pods),
                           shape(graph[v].kind));
      },
      [&](std::ostream& out, auto edge) {
        const bool to_table = graph[boost::target(edge, graph)].kind == VertexKind::RouteTable;
        if (to_table) out << "[style=dashed]";
      },
      [](std::ostream& out) { out << "rankdir=LR;\nnode [fontname=\"sans-serif\"];\n"; });
  return text.str();
}

}  // namespace overlane::graph
