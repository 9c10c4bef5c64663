#include "dataplane/node/text/state_text.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace overlane::node {
namespace {

/// Returns whether the device needs a neighbour and an FDB entry for every peer.
bool has_vteps(const Device& device) {
  return device.kind == DeviceKind::Vxlan && !device.external && !device.remote;
}

void append(std::string& text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines)
    text += line + '\n';
}

}  // namespace

std::string pod_line(const NodeState& state, const LocalPod& pod) {
  std::string text =
      fmt::format("{}: veth mtu {} state UP", state.pod_device(pod.address).view(), pod.mtu);
  if (pod.route_mtu != 0) text += fmt::format(" pod routes mtu {}", pod.route_mtu);
  return text;
}

std::vector<std::string> local_route_lines(const NodeState& state) {
  std::vector<std::string> lines;
  for (const IpPrefix& prefix : state.local_routes)
    lines.push_back(fmt::format("local {} dev lo proto static", prefix.to_string()));
  return lines;
}

std::optional<NeighbourEntry> neighbour_entry(const Device& device, const Member& peer) {
  const MemberAddresses* vtep = has_vteps(device) ? peer.in(device.underlay) : nullptr;
  if (vtep == nullptr || vtep->tunnel == IpAddress{}) return std::nullopt;
  const std::string mac = vtep->vtep_mac.to_string();
  return NeighbourEntry{fmt::format("{} dev {} lladdr {} PERMANENT", vtep->tunnel.to_string(),
                                    device.name.view(), mac),
                        fmt::format("{} dev {} dst {} self permanent", mac, device.name.view(),
                                    vtep->node.to_string())};
}

std::vector<std::string> neighbour_lines(const NodeState& state) {
  std::vector<std::string> lines;
  for (const Device& device : state.devices) {
    for (const Member& peer : state.cluster->members()) {
      const auto entry = neighbour_entry(device, peer);
      if (!entry || &peer == &state.member()) continue;
      lines.push_back(entry->neighbour);
      lines.push_back(entry->forwarding);
    }
  }
  std::ranges::sort(lines);
  return lines;
}

std::optional<std::string> wireguard_line(const Device& device, const Member& peer) {
  const MemberAddresses* end = peer.in(device.underlay);
  if (end == nullptr) return std::nullopt;
  const bool bare = device.underlay == Family::Ipv4;
  std::string text =
      fmt::format("{} peer {} endpoint {}{}{}:{} allowed ips", device.name.view(), peer.name,
                  bare ? "" : "[", end->node.to_string(), bare ? "" : "]", device.udp_port);
  std::string ips;
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    const MemberAddresses* allowed = peer.in(family);
    if (allowed == nullptr || (!device.allows_nodes && family != device.underlay)) continue;
    if (allowed->pod_cidr.network() != IpAddress{}) ips += ' ' + allowed->pod_cidr.to_string();
    if (device.allows_nodes) ips += ' ' + IpPrefix::host(allowed->node).to_string();
  }
  return text + (ips.empty() ? " (none)" : ips);
}

std::optional<std::string> wireguard_rule_line(const ClusterTable& table, Family family) {
  const PeerRoute& route = table.routes(family).encrypted;
  if (route.table == 0) return std::nullopt;
  // Felix's defaults WireguardRoutingRulePriority and the lowest of its mark bits.
  return fmt::format("ip{} rule 99: not from all fwmark 0x100000/0x100000 lookup {}",
                     family == Family::Ipv4 ? "" : " -6", route.table);
}

std::vector<std::string> wireguard_lines(const NodeState& state) {
  std::vector<std::string> lines;
  const ClusterTable& table = *state.cluster;
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    if (auto line = wireguard_rule_line(table, family)) lines.push_back(*std::move(line));
  }
  for (const Device& device : state.devices) {
    if (device.kind != DeviceKind::Wireguard) continue;
    for (const Member& peer : table.members()) {
      const auto line = wireguard_line(device, peer);
      if (line && &peer != &state.member()) lines.push_back(*line);
    }
  }
  std::ranges::sort(lines);
  return lines;
}

std::string forwarding_line(const Sysctls& sysctls, Family family) {
  return family == Family::Ipv4
             ? fmt::format("net.ipv4.ip_forward = {}", sysctls.ip_forward ? 1 : 0)
             : fmt::format("net.ipv6.conf.all.forwarding = {}", sysctls.ipv6_forwarding ? 1 : 0);
}

std::string rp_filter_line(const Sysctls& sysctls) {
  return fmt::format("net.ipv4.conf.all.rp_filter = {}", sysctls.rp_filter_all);
}

std::vector<std::string> sysctl_lines(const NodeState& state) {
  std::vector<std::string> lines = {rp_filter_line(state.sysctls),
                                    forwarding_line(state.sysctls, Family::Ipv4),
                                    forwarding_line(state.sysctls, Family::Ipv6)};
  if (!state.sysctls.icmp_ratelimit) {
    lines.push_back("net.ipv4.icmp_ratelimit = 0");
    lines.push_back("net.ipv6.icmp.ratelimit = 0");
  }
  if (!state.sysctls.route_error_cost) lines.push_back("net.ipv4.route.error_cost = 0");
  const Sysctls usual;
  if (state.sysctls.ipfrag_time != usual.ipfrag_time) {
    lines.push_back(fmt::format("net.ipv4.ipfrag_time = {}", state.sysctls.ipfrag_time));
  }
  if (state.sysctls.ip6frag_time != usual.ip6frag_time) {
    lines.push_back(fmt::format("net.ipv6.ip6frag_time = {}", state.sysctls.ip6frag_time));
    lines.push_back(
        fmt::format("net.netfilter.nf_conntrack_frag6_timeout = {}", state.sysctls.ip6frag_time));
  }
  if (!state.kernel.tunnel_pmtu_honours_inner_df)
    lines.push_back("kernel older than 5.11: tunnels check their path MTU without the inner DF");
  return lines;
}

std::string to_string(const NodeState& state) {
  std::string text;
  for (const Device& device : state.devices)
    text += to_string(device) + '\n';
  for (const LocalPod& pod : state.pods)
    text += pod_line(state, pod) + '\n';
  const std::vector<RouteMatch> table = main_table(state);
  for (const bool ipv4 : {true, false}) {
    for (const RouteMatch& match : table) {
      if (match.destination.is_ipv4() != ipv4) continue;
      text += to_string(match.destination, match.route) + '\n';
    }
  }
  append(text, local_route_lines(state));
  append(text, neighbour_lines(state));
  append(text, wireguard_lines(state));
  append(text, filter_lines(state));
  append(text, service_lines(state));
  append(text, sysctl_lines(state));
  return text;
}

/// Names the set of the filter like to_string(PacketFilter): the set of the cluster's nodes.
std::string member_line(IpAddress address) {
  return fmt::format("add members {}", address.to_string());
}

std::vector<std::string> filter_lines(const NodeState& state) {
  if (state.filter == nullptr) return {};
  std::vector<std::string> lines;
  const bool of_members = std::ranges::any_of(state.filter->tunnel_guards, &TunnelGuard::members);
  for (const Member& member : state.cluster->members()) {
    if (!of_members) break;
    for (const Family family : {Family::Ipv4, Family::Ipv6}) {
      const MemberAddresses* addresses = member.in(family);
      if (addresses == nullptr) continue;
      lines.push_back(member_line(addresses->node));
    }
  }
  std::istringstream rules(to_string(*state.filter));
  for (std::string line; std::getline(rules, line);)
    lines.push_back(line);
  return lines;
}

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
