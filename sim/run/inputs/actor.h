#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "dataplane/net/units.h"
#include "dataplane/node/state/world.h"

namespace overlane::run {

/// What changes a run's states while packets fly: a controller, an agent, an operator. A small
/// state machine that acts at times of its own. Actors know each other through what they share.
class Actor {
 public:
  virtual ~Actor() = default;

  /// When it acts next, if no other actor changes that; nothing: not by itself.
  virtual std::optional<Picos> next() const = 0;
  /// next() has come, which is later afterwards. Before anything else happens at that time.
  virtual void act(node::WorldEditor& world, Picos now) = 0;
};

/// Makes the actors of one run. Each draws its random times from its own stream of
/// StreamUse::Actors and this seed. Of those that act at one time, the first acts first.
using MakeActors = std::function<std::vector<std::unique_ptr<Actor>>(std::uint64_t seed)>;

}  // namespace overlane::run
