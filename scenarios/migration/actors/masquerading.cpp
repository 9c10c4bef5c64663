#include "scenarios/migration/actors/masquerading.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane::migration {

std::optional<Picos> Masquerading::pools_at() const {
  if (follows_pools_ || !objects_.network_applied_at) return std::nullopt;
  return *objects_.network_applied_at + timing_.felix_pools;
}

std::optional<Picos> Masquerading::rules_at() const {
  if (!calico_.adds_nameserver_rules() || seen_ == objects_.agents_started.size())
    return std::nullopt;
  return objects_.agents_started[seen_].at + timing_.nameserver_rules;
}

std::optional<Picos> Masquerading::next() const {
  const std::optional<Picos> pools = pools_at();
  const std::optional<Picos> rules = rules_at();
  if (pools && rules) return std::min(*pools, *rules);
  return pools ? pools : rules;
}

void Masquerading::act(node::WorldEditor& world, Picos now) {
  if (pools_at() == now) {
    follows_pools_ = true;
    for (std::uint32_t node = 0; node < objects_.old_agents.size(); ++node)
      if (objects_.old_agents[node] || objects_.is_kept(node)) calico_.follow_pools(world, node);
    if (calico_.pools_change_masquerading())
      objects_.note(now, "calico-node", "Felix of old pods masquerades as the new IPPools say");
  }
  while (rules_at() == now) {
    const std::uint32_t node = objects_.agents_started[seen_++].node;
    if (!objects_.is_present(node)) continue;
    calico_.add_nameserver_rules(world, node);
    objects_.note(now, "calico-node",
                  fmt::format("{}: queries to upstream DNS are masqueraded",
                              world.world().nodes[node].member().name));
  }
}

}  // namespace overlane::migration
