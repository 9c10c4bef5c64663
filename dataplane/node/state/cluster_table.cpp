#include "dataplane/node/state/cluster_table.h"

#include <algorithm>

namespace overlane::node {
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
