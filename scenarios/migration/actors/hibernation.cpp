#include "scenarios/migration/actors/hibernation.h"

#include <string>

#include "results/base/text.h"

namespace overlane::migration {

void Hibernation::act(node::WorldEditor& world, Picos now) {
  constexpr auto kGardenlet = "gardenlet";
  constexpr auto kMachines = "machine-controller-manager";
  switch (phase_) {
    case Phase::Waiting:
      objects_.note(now, kGardenlet, "hibernates the shoot: all machines are drained");
      phase_ = Phase::Draining;
      next_ = now + timing_.machine_deletion;
      return;
    case Phase::Draining:
      objects_.note(now, kMachines, counted(count_, "node") + " are deleted");
      for (std::uint32_t node = 0; node < count_; ++node)
        nodes_.leave(world, node, now);
      phase_ = Phase::Asleep;
      next_ = now + timing_.hibernation;
      return;
    case Phase::Asleep:
      objects_.note(now, kGardenlet, "wakes the shoot up: ControlPlane and Network first");
      phase_ = Phase::Creating;
      next_ = now + timing_.until_network() + timing_.machine_creation;
      return;
    case Phase::Creating:
      for (std::uint32_t node = count_; node < 2 * count_; ++node)
        objects_.note(now, kMachines, nodes_.join(world, node, now));
      next_.reset();
      return;
  }
}

}  // namespace overlane::migration
