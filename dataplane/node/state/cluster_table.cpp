#include "dataplane/node/state/cluster_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane::node {
namespace {

std::string_view kind_prefix(RouteKind kind) {
  switch (kind) {
    case RouteKind::Unicast:
      return "";
    case RouteKind::Blackhole:
      return "blackhole ";
    case RouteKind::Unreachable:
      return "unreachable ";
    case RouteKind::Prohibit:
      return "prohibit ";
  }
  return "";
}

std::string destination_name(const IpPrefix& destination) {
  if (destination.length() == 0) return "default";
  if (destination.is_host()) return destination.network().to_string();
  return destination.to_string();
}

}  // namespace

std::string_view to_string(RouteProtocol protocol) {
  switch (protocol) {
    case RouteProtocol::Kernel:
      return "kernel";
    case RouteProtocol::Boot:
      return "boot";
    case RouteProtocol::Static:
      return "static";
    case RouteProtocol::Bird:
      return "bird";
    case RouteProtocol::Felix:
      return "80";
  }
  return "";
}

std::string to_string(const IpPrefix& destination, const Route& route) {
  std::string text = fmt::format("{}{}", kind_prefix(route.kind), destination_name(destination));
  if (route.tunnel_destination) {
    text += fmt::format(" encap {} dst {}", route.tunnel_destination->is_ipv4() ? "ip" : "ip6",
                        route.tunnel_destination->to_string());
  }
  if (route.via) text += fmt::format(" via {}", route.via->to_string());
  if (!route.device.empty()) text += fmt::format(" dev {}", route.device.view());
  if (route.table != 0) text += fmt::format(" table {}", route.table);
  text += fmt::format(" proto {}", to_string(route.protocol));
  if (route.kind == RouteKind::Unicast && !route.via) text += " scope link";
  if (route.mtu != 0) text += fmt::format(" mtu {}", route.mtu);
  if (route.onlink) text += " onlink";
  return text;
}

namespace {

using Owner = std::pair<IpAddress, MemberIndex>;

void insert(std::vector<Owner>& owners, IpAddress address, MemberIndex member) {
  const auto at = std::ranges::lower_bound(owners, address, {}, &Owner::first);
  if (at == owners.end() || at->first != address) owners.insert(at, {address, member});
}

}  // namespace

MemberIndex ClusterTable::add(Member member) {
  const MemberIndex index{static_cast<std::uint32_t>(members_.size())};
  members_.push_back(std::move(member));
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    const MemberAddresses* addresses = members_.back().in(family);
    if (addresses == nullptr) continue;
    if (pod_cidrs_.find(addresses->pod_cidr) == nullptr) pod_cidrs_.set(addresses->pod_cidr, index);
    insert(by_node_address_, addresses->node, index);
    insert(by_tunnel_address_, addresses->tunnel, index);
  }
  return index;
}

const Member* ClusterTable::owner(const Owners& owners, IpAddress address) const {
  const auto at = std::ranges::lower_bound(owners, address, {}, &Owner::first);
  if (at == owners.end() || at->first != address) return nullptr;
  return &members_[at->second.value];
}

const Member* ClusterTable::with_node_address(IpAddress address) const {
  return owner(by_node_address_, address);
}

const Member* ClusterTable::with_tunnel_address(IpAddress address) const {
  return owner(by_tunnel_address_, address);
}

}  // namespace overlane::node
