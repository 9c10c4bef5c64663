#include "dataplane/reference/table_index.h"

#include <algorithm>
#include <utility>

namespace overlane::reference {

void PrefixIndex::add(const IpPrefix& prefix, std::uint32_t number) {
  entries_.emplace(prefix, number);
  has_length_[prefix.bits()] = true;
}

Candidates PrefixIndex::candidates(IpAddress address) const {
  std::vector<std::uint32_t> numbers;
  for (std::size_t bits = 0; bits < kLengths; ++bits) {
    if (!has_length_[bits]) continue;
    const IpPrefix prefix = IpPrefix::first_bits(address, static_cast<std::uint8_t>(bits));
    if (!prefix.contains(address)) continue;  // A prefix of IPv6 that covers all IPv4 addresses.
    const auto [first, last] = entries_.equal_range(prefix);
    for (auto entry = first; entry != last; ++entry)
      numbers.push_back(entry->second);
  }
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  return Candidates(std::move(numbers));
}

PrefixIndex index_of(const node::ClusterTable& cluster) {
  PrefixIndex index;
  for (std::uint32_t i = 0; i < cluster.members().size(); ++i) {
    const node::Member& member = cluster.members()[i];
    for (const auto& addresses : {member.ipv4, member.ipv6}) {
      if (!addresses) continue;
      index.add(addresses->node, i);
      index.add(addresses->tunnel, i);
      index.add(addresses->pod_cidr, i);
    }
  }
  return index;
}

FabricIndex::FabricIndex(const node::FabricState& fabric) {
  for (const node::RouteTable& table : fabric.route_tables) {
    PrefixIndex& index = routes.emplace_back();
    std::uint32_t position = 0;
    for (const auto& [prefix, route] : table.routes)
      index.add(prefix, position++);
  }
  for (std::uint32_t i = 0; i < fabric.instances.size(); ++i) {
    for (const IpAddress own : fabric.instances[i].addresses)
      instances.add(own, i);
    for (const IpPrefix& prefix : fabric.instances[i].prefixes)
      instances.add(prefix, i);
  }
}

const PrefixIndex* TableIndices::of(const std::shared_ptr<const node::ClusterTable>& cluster) {
  if (cluster != cluster_) {
    cluster_ = cluster;
    cluster_uses_ = 0;
    members_.reset();
  }
  if (cluster_uses_ < kMinUses) {
    ++cluster_uses_;
    return nullptr;
  }
  if (!members_) members_ = index_of(*cluster);
  return &*members_;
}

const FabricIndex* TableIndices::of(const node::FabricState& fabric) {
  if (&fabric != fabric_ || fabric.generation != generation_) {
    fabric_ = &fabric;
    generation_ = fabric.generation;
    fabric_uses_ = 0;
    fabric_index_.reset();
  }
  if (fabric_uses_ < kMinUses) {
    ++fabric_uses_;
    return nullptr;
  }
  if (!fabric_index_) fabric_index_.emplace(fabric);
  return &*fabric_index_;
}

}  // namespace overlane::reference
