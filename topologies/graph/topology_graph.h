#pragma once

#include <vector>

#include <boost/graph/adjacency_list.hpp>

#include "topologies/graph/topology.h"

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

}  // namespace overlane::graph
