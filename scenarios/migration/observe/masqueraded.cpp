#include "scenarios/migration/observe/masqueraded.h"

#include <algorithm>

namespace overlane::migration {

MasqueradedConnections::MasqueradedConnections(const node::World& world, std::uint32_t joining)
    : world_(world),
      pods_(path::first_pods(world, Family::Ipv4)),
      absent_(world.nodes.size(), false),
      pairs_(world.nodes.size() * world.nodes.size()) {
  std::fill_n(absent_.rbegin(), joining, true);
  for (std::uint32_t node = 0; node < nodes(); ++node)
    if (!absent_[node]) look_at_all(node, {});
}

void MasqueradedConnections::see(const node::WorldChange& change, Picos now) {
  for (const auto& [node, of_node] : change.nodes) {
    if (absent_[node]) continue;
    const auto& pod_cidrs = world_.nodes[node].cluster->pod_cidrs();
    std::vector<std::uint32_t> peers;
    bool all = of_node.peers || !of_node.devices.empty();
    for (const IpPrefix& prefix : of_node.destinations) {
      const node::MemberIndex* member = pod_cidrs.find(prefix);
      all |= member == nullptr;
      if (member != nullptr) peers.push_back(member->value);
    }
    if (all) {
      look_at_all(node, now);
    } else {
      for (const std::uint32_t peer : peers)
        look(node, peer, now);
    }
  }
}

void MasqueradedConnections::join(std::uint32_t node, Picos now) {
  absent_[node] = false;
  for (std::uint32_t peer = 0; peer < nodes(); ++peer) {
    look(node, peer, now);
    look(peer, node, now);
  }
}

void MasqueradedConnections::leave(std::uint32_t node, Picos /*now*/) {
  absent_[node] = true;
}

void MasqueradedConnections::look_at_all(std::uint32_t from, Picos now) {
  for (std::uint32_t to = 0; to < nodes(); ++to)
    look(from, to, now);
}

void MasqueradedConnections::look(std::uint32_t from, std::uint32_t to, Picos now) {
  if (from == to || absent_[from] || absent_[to]) return;
  Pair& pair = pairs_[std::size_t{from} * nodes() + to];
  if (pair.has_ended) return;
  const auto route = node::lookup(world_.nodes[from], pods_[to]->address);
  if (!route || route->route.device.empty() || route->route.device == pair.device) return;
  pair.has_ended = !pair.device.empty();
  pair.device = route->route.device;
  if (pair.has_ended) ended_.push_back({from, to, now});
}

}  // namespace overlane::migration
