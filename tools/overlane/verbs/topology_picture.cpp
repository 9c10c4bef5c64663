#include "tools/overlane/verbs/topology_picture.h"

#include <string>

#include <fmt/format.h>

namespace overlane::command {
namespace {

/// The texts that `text` returns for each family's value, joined.
template <typename T, typename Text>
std::string of_families(const graph::ByFamily<T>& values, Text text) {
  std::string joined;
  for (const Family family : graph::kFamilies) {
    if (const T* value = values.in(family))
      joined += (joined.empty() ? "" : ", ") + std::string(text(*value));
  }
  return joined;
}

}  // namespace

pages::TopologyPicture picture_of(const graph::Topology& topology) {
  const auto prefix = [](const IpPrefix& cidr) { return cidr.to_string(); };
  pages::TopologyPicture picture;
  picture.network =
      fmt::format("VPC {}, MTU {}", of_families(topology.vpc().cidr, prefix), topology.vpc().mtu);
  const auto& subnets = topology.subnets();
  for (std::size_t i = 0; i < topology.zones().size(); ++i) {
    const graph::Subnet& subnet = subnets.size() == 1 ? subnets.front() : subnets.at(i);
    picture.zones.push_back(
        {.name = topology.zones()[i], .subnet = of_families(subnet.cidr, prefix), .nodes = {}});
  }
  for (const graph::Node& node : topology.nodes())
    picture.zones.at(node.zone).nodes.push_back(
        {.name = node.name,
         .address =
             of_families(node.addresses, [](const auto& one) { return one.address.to_string(); }),
         .pod_cidr = of_families(node.addresses,
                                 [](const auto& one) { return one.pod_cidr.to_string(); })});
  return picture;
}

}  // namespace overlane::command
