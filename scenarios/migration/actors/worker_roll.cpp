#include "scenarios/migration/actors/worker_roll.h"

#include <fmt/format.h>

namespace overlane::migration {
namespace {

/// How often a new node is looked at.
constexpr Picos kPeriod = seconds(10);

}  // namespace

void WorkerRoll::create(Picos now) {
  phase_ = Phase::Creating;
  created_at_ = now;
  next_ = now + timing_.machine_creation;
}

void WorkerRoll::act(node::WorldEditor& world, Picos now) {
  constexpr auto kName = "machine-controller-manager";
  const std::uint32_t joining = count_ + replaced_;
  const auto name = [&](std::uint32_t node) { return world.world().nodes[node].member().name; };
  switch (phase_) {
    case Phase::Waiting:
      objects_.note(now, "gardenlet", "has all machines replaced, one after another");
      return create(now);
    case Phase::Creating:
      objects_.note(now, kName, nodes_.join(world, joining, now));
      phase_ = Phase::Joining;
      next_ = now + kPeriod;
      return;
    case Phase::Joining:
      if (!objects_.takes_pods(joining)) {
        next_ = now + kPeriod;
        if (*next_ <= created_at_ + timing_.machine_creation_timeout) return;
        objects_.note(now, kName, fmt::format("{} takes no pods: stops", name(joining)));
        objects_.stuck_node = joining;
        next_.reset();
        return;
      }
      objects_.note(now, kName, fmt::format("drains {}", name(replaced_)));
      phase_ = Phase::Draining;
      next_ = now + timing_.machine_deletion;
      return;
    case Phase::Draining:
      objects_.note(now, kName, fmt::format("{} is deleted", name(replaced_)));
      nodes_.leave(world, replaced_, now);
      if (++replaced_ < count_) return create(now);
      next_.reset();
      return;
  }
}

}  // namespace overlane::migration
