#include "dataplane/node/text/fabric_text.h"

#include <fmt/format.h>

namespace overlane::node {

std::string vpc_line(const FabricState& state) {
  return fmt::format("vpc {} mtu {}", state.name, state.mtu);
}

std::string path_mtu_line(const FabricPathMtu& path) {
  std::string line = "path mtu";
  if (path.within_zone != 0) line += fmt::format(" within zone {}", path.within_zone);
  if (path.across_zones != 0) line += fmt::format(" across zones {}", path.across_zones);
  return path.silent ? line + " silent" : line;
}

std::string egress_mtu_line(const FabricState& state) {
  return fmt::format("egress mtu {}", state.egress_mtu);
}

std::string subnet_line(const FabricState& state, const Subnet& subnet) {
  std::string line = fmt::format("subnet {}", subnet.name);
  for (const IpPrefix& cidr : subnet.cidrs)
    line += fmt::format(" {}", cidr.to_string());
  if (!subnet.zone.empty()) line += fmt::format(" zone {}", subnet.zone);
  return line + fmt::format(" table {}", state.route_tables.at(subnet.route_table).name);
}

std::vector<std::string> network_lines(const FabricState& state) {
  std::vector<std::string> lines = {vpc_line(state)};
  if (state.path_mtu != FabricPathMtu{}) lines.push_back(path_mtu_line(state.path_mtu));
  if (state.egress_mtu != 0) lines.push_back(egress_mtu_line(state));
  for (const Subnet& subnet : state.subnets)
    lines.push_back(subnet_line(state, subnet));
  for (const RouteTable& table : state.route_tables) {
    lines.push_back(table.quota == 0
                        ? fmt::format("table {}", table.name)
                        : fmt::format("table {} takes {} routes", table.name, table.quota));
  }
  return lines;
}

std::string route_line(const FabricState& state, const RouteTable& table,
                       const IpPrefix& destination, const FabricRoute& route) {
  const std::string target = route.target == FabricTarget::Instance
                                 ? state.instances.at(route.instance).name
                                 : std::string(to_string(route.target));
  return fmt::format("table {}: {} -> {} ({})", table.name, destination.to_string(), target,
                     to_string(route.owner));
}

std::string instance_line(const FabricState& state, const Instance& instance) {
  std::string line = fmt::format("instance {}", instance.name);
  for (const IpAddress address : instance.addresses)
    line += fmt::format(" {}", address.to_string());
  for (const IpPrefix& prefix : instance.prefixes)
    line += fmt::format(" prefix {}", prefix.to_string());
  line += fmt::format(" subnet {}", state.subnets.at(instance.subnet).name);
  if (!instance.zone.empty()) line += fmt::format(" zone {}", instance.zone);
  line += instance.source_destination_check ? " source/destination check on"
                                            : " source/destination check off";
  for (const IpPrefix& prefix : instance.allowed)
    line += fmt::format(" allows {}", prefix.to_string());
  for (const std::uint32_t group : instance.groups)
    line += fmt::format(" group {}", state.groups.at(group).name);
  return line;
}

std::string dropped_protocol_line(std::uint8_t protocol) {
  return fmt::format("drops protocol {}", protocol);
}

std::string decrementing_hops_line(const FabricState& state) {
  return fmt::format("hops between subnets that decrement the hop limit: {}",
                     state.decrementing_hops);
}

std::string group_line(const SecurityGroup& group) {
  return fmt::format("group {}{}", group.name, group.every_instance ? " for every instance" : "");
}

std::string rule_line(const SecurityGroup& group, const FabricRule& rule) {
  return fmt::format("group {}: {}", group.name, to_string(rule));
}

std::vector<std::string> rule_lines(const FabricState& state) {
  std::vector<std::string> lines;
  for (const SecurityGroup& group : state.groups) {
    lines.push_back(group_line(group));
    for (const FabricRule& rule : group.rules)
      lines.push_back(rule_line(group, rule));
  }
  for (const std::uint8_t protocol : state.dropped_protocols)
    lines.push_back(dropped_protocol_line(protocol));
  for (const DenyRule& rule : state.denied)
    lines.push_back(to_string(rule));
  if (state.drops_disordered_fragments) lines.emplace_back(kDropsDisorderedFragments);
  if (!state.honours_next_hop) lines.push_back("the destination address alone decides the way");
  if (state.link_layer_answers == LinkLayerAnswers::WithinSubnet)
    lines.emplace_back(kAnswersWithinSubnet);
  if (state.protects_subnets) lines.push_back("refuses routes that hide a subnet");
  if (state.decrementing_hops != 0) lines.push_back(decrementing_hops_line(state));
  return lines;
}

std::string to_string(const FabricState& state) {
  std::vector<std::string> lines = network_lines(state);
  for (const RouteTable& table : state.route_tables) {
    for (const auto& [destination, route] : table.routes)
      lines.push_back(route_line(state, table, destination, route));
  }
  for (const Instance& instance : state.instances)
    lines.push_back(instance_line(state, instance));
  for (const std::string& line : rule_lines(state))
    lines.push_back(line);
  std::string text;
  for (const std::string& line : lines)
    text += line + '\n';
  return text;
}

}  // namespace overlane::node
