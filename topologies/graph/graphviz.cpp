#include <sstream>

#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/graphviz.hpp>
#include <fmt/format.h>

#include "topologies/graph/topology.h"
#include "topologies/graph/topology_graph.h"

namespace overlane::graph {
namespace {

/// The values of both families, one line each.
template <typename T, typename Text>
std::string lines(const ByFamily<T>& values, Text text) {
  std::string all;
  for (const Family family : kFamilies)
    if (const T* value = values.in(family)) all += "\\n" + text(*value);
  return all;
}

/// Omits pods after the first few of each node.
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
