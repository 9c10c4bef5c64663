#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "dataplane/node/text/node_lines.h"

namespace overlane::node {

/// As what to_string(PacketFilter) calls the set of the cluster's nodes.
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
