#include "scenarios/migration/actors/route_withdrawals.h"

#include <fmt/format.h>

#include "results/base/text.h"

namespace overlane::migration {

std::optional<Picos> RouteWithdrawals::next() const {
  if (seen_ == objects_.birds_ended.size()) return std::nullopt;
  return objects_.birds_ended[seen_].at + timing_.graceful_restart;
}

void RouteWithdrawals::act(node::WorldEditor& world, Picos now) {
  const std::uint32_t gone = objects_.birds_ended[seen_++].node;
  std::size_t peers = 0;
  for (std::uint32_t node = 0; node < objects_.old_agents.size(); ++node) {
    if (!objects_.old_agents[node] || !objects_.is_present(node)) continue;
    calico_.withdraw(world, node, gone);
    ++peers;
  }
  if (peers > 0)
    objects_.note(now, "bird",
                  fmt::format("{} withdraw the route to {}", counted(peers, "node"),
                              world.world().nodes[gone].member().name));
}

}  // namespace overlane::migration
