#include "scenarios/migration/actors/bgp_sessions.h"

#include <algorithm>

#include <fmt/format.h>

#include "results/base/text.h"
#include "scenarios/migration/actors/draw.h"

namespace overlane::migration {

Picos BgpSessions::connects_at(const ClusterObjects::Event& start) const {
  return start.at + drawn(timing_.bgp_connect, seed_, Drawer::BgpConnect, start.node);
}

std::optional<Picos> BgpSessions::next() const {
  std::optional<Picos> next;
  if (!connecting_.empty()) next = connecting_.begin()->first;
  for (std::size_t i = seen_; i < objects_.agents_started.size(); ++i) {
    const Picos at = connects_at(objects_.agents_started[i]);
    next = std::min(next.value_or(at), at);
  }
  return next;
}

void BgpSessions::act(node::WorldEditor& world, Picos now) {
  if (!std::exchange(has_begun_, true)) connected_ = objects_.kept_agents;
  for (; seen_ < objects_.agents_started.size(); ++seen_) {
    const ClusterObjects::Event& start = objects_.agents_started[seen_];
    connecting_.emplace(connects_at(start), start.node);
  }
  while (!connecting_.empty() && connecting_.begin()->first == now) {
    const std::uint32_t node = connecting_.begin()->second;
    connecting_.erase(connecting_.begin());
    if (!objects_.is_present(node)) continue;
    connect(world, node);
    objects_.note(now, "bird",
                  fmt::format("{} has {}", world.world().nodes[node].member().name,
                              counted(objects_.sessions[node], "BGP session")));
  }
}

void BgpSessions::connect(node::WorldEditor& world, std::uint32_t node) {
  if (old_birds_run_) {
    calico_.connect_to_all(world, node);
    objects_.sessions[node] = static_cast<std::uint32_t>(objects_.sessions.size() - 1);
    return;
  }
  std::erase_if(connected_, [&](std::uint32_t peer) { return !objects_.is_present(peer); });
  for (const std::uint32_t peer : connected_) {
    calico_.connect(world, node, peer);
    ++objects_.sessions[peer];
  }
  objects_.sessions[node] = static_cast<std::uint32_t>(connected_.size());
  connected_.push_back(node);
}

}  // namespace overlane::migration
