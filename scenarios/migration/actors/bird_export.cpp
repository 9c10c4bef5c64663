#include "scenarios/migration/actors/bird_export.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/migration/actors/draw.h"

namespace overlane::migration {

std::optional<Picos> BirdExport::next() const {
  if (!has_begun_) return objects_.network_applied_at;
  if (reloads_.empty()) return std::nullopt;
  return reloads_.back().first;
}

void BirdExport::act(node::WorldEditor& world, Picos now) {
  if (!std::exchange(has_begun_, true)) {
    for (std::uint32_t node = 0; node < objects_.old_agents.size(); ++node)
      if (calico_.has_bird(node) && objects_.is_present(node))
        reloads_.emplace_back(now + drawn(timing_.bird_reload, seed_, Drawer::BirdReload, node),
                              node);
    std::ranges::sort(reloads_, std::greater());
    return;
  }
  const std::uint32_t node = reloads_.back().second;
  reloads_.pop_back();
  if (!objects_.is_present(node)) return;
  if (!objects_.old_agents[node] && !objects_.is_kept(node)) return;  // Its BIRD has ended before.
  objects_.note(now, "bird",
                fmt::format("{} {}", world.world().nodes[node].member().name,
                            calico_.rewrite_routes(world, node)));
}

}  // namespace overlane::migration
