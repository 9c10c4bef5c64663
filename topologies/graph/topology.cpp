#include "topologies/graph/topology.h"

#include "topologies/graph/topology_graph.h"

namespace overlane::graph {

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

}  // namespace overlane::graph
