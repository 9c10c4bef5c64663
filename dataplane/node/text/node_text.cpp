#include "dataplane/node/text/node_text.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace overlane::node {
namespace {

/// Whether the device needs a neighbour and an FDB entry for every peer.
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

}  // namespace overlane::node
