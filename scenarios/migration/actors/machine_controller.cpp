#include "scenarios/migration/actors/machine_controller.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane::migration {
namespace {

constexpr auto kName = "machine-controller-manager";

}  // namespace

std::optional<std::uint32_t> MachineController::unhealthy() const {
  std::optional<std::uint32_t> longest;
  for (const std::uint32_t node : objects_.unavailable_nodes)
    if (!was_replaced_[node] && objects_.takes_pods(node) &&
        (!longest || objects_.conditions[node].since < objects_.conditions[*longest].since))
      longest = node;
  return longest;
}

std::optional<Picos> MachineController::next() const {
  if (deletion_) return deletion_->at;
  const std::optional<std::uint32_t> node = unhealthy();
  if (!node) return std::nullopt;
  return std::max(free_since_, objects_.conditions[*node].since + timing_.machine_health_timeout);
}

void MachineController::act(node::WorldEditor& world, Picos now) {
  const auto name = [&](std::uint32_t node) { return world.world().nodes[node].member().name; };
  if (deletion_) {
    const std::uint32_t node = deletion_->node;
    objects_.note(now, kName, fmt::format("{} is deleted", name(node)));
    objects_.replaced_nodes.push_back(node);
    objects_.node_deleted_at = now;
    objects_.set_condition(node, NetworkCondition::Reason::AgentIsUp, now);
    deletion_.reset();
    free_since_ = now + Picos{1};
    return;
  }
  const std::uint32_t node = *unhealthy();
  was_replaced_[node] = true;
  deletion_ = {now + timing_.machine_deletion, node};
  objects_.note(now, kName,
                fmt::format("replaces the machine of {}: its pods are evicted", name(node)));
}

}  // namespace overlane::migration
