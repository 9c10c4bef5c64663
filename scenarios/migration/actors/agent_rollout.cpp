#include "scenarios/migration/actors/agent_rollout.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "scenarios/migration/actors/draw.h"

namespace overlane::migration {
namespace {

constexpr auto kName = "calico-node";

/// So often a pod that is not ready is asked again until the roll-out counts as stuck: half an hour
/// of a readiness probe every 10 s.
constexpr std::uint32_t kMostProbes = 180;

}  // namespace

AgentRollout::AgentRollout(const Timing& timing, std::uint64_t seed, const Strategy& strategy,
                           const Transition& transition, const CalicoNode& calico,
                           ClusterObjects& objects)
    : timing_(timing),
      seed_(seed),
      strategy_(strategy),
      cleans_up_(transition.to_routed()),
      has_bird_(transition.has_bird_afterwards()),
      calico_(calico),
      objects_(objects),
      waiting_(objects.old_agents.size()) {
  std::iota(waiting_.begin(), waiting_.end(), 0u);
  RandomStream order = stream_of(seed, Drawer::RolloutOrder);
  for (std::size_t i = waiting_.size(); i > 1; --i)
    std::swap(waiting_[i - 1], waiting_[order.below(i)]);
}

std::optional<Picos> AgentRollout::next() const {
  if (!has_begun_) return objects_.network_applied_at;
  if (due_.empty()) return std::nullopt;
  return std::get<Picos>(*due_.begin());
}

void AgentRollout::act(node::WorldEditor& world, Picos now) {
  if (!std::exchange(has_begun_, true)) {
    if (strategy_.deletes_pods) due_.emplace(now + timing_.operator_reaction, Stage::Delete, 0u);
    return replace(world.world(), strategy_.max_unavailable, now);
  }
  const auto [at, stage, node] = *due_.begin();
  due_.erase(due_.begin());
  const std::string& name = world.world().nodes[node].member().name;
  switch (stage) {
    case Stage::Delete:
      objects_.note(now, "operator", "deletes all old pods of calico-node");
      return replace(world.world(), waiting_.size() + starting_, now);
    case Stage::Init:
      if (cleans_up_) {
        calico_.clean_up_routes(world, node);
        objects_.note(now, kName, fmt::format("{}: cleanup-routes has run", name));
      }
      due_.emplace(now + timing_.agent_start, Stage::Start, node);
      return;
    case Stage::Start:
      calico_.start_felix(world, node);
      if (has_bird_) {
        calico_.start_bird(world, node);
        objects_.birds_started.push_back({now, node});
      }
      objects_.note(now, kName, fmt::format("{}: Felix has written the node's state", name));
      due_.emplace(now + timing_.pod_ready, Stage::Ready, node);
      return;
    case Stage::Ready:
      if (!is_ready(node)) {
        if (++probes_[node] < kMostProbes) due_.emplace(now + timing_.pod_ready, stage, node);
        return;
      }
      ++ready_;
      --starting_;
      objects_.note(now, kName, fmt::format("{} is ready", name));
      return replace(world.world(), strategy_.max_unavailable, now);
  }
}

bool AgentRollout::is_ready(std::uint32_t node) const {
  return !has_bird_ || objects_.sessions[node] > 0;
}

/// Replaces pods until so many are being replaced.
void AgentRollout::replace(const node::World& world, std::size_t at_a_time, Picos now) {
  while (starting_ < at_a_time && !waiting_.empty()) {
    const std::uint32_t node = waiting_.back();
    waiting_.pop_back();
    ++starting_;
    objects_.old_agents[node] = false;
    objects_.note(now, kName, fmt::format("{}: pod is replaced", world.nodes[node].member().name));
    const Picos replaced = drawn(timing_.pod_replacement, seed_, Drawer::PodReplacement, node);
    due_.emplace(now + replaced + timing_.pod_init, Stage::Init, node);
  }
}

}  // namespace overlane::migration
