#pragma once

#include <string>
#include <vector>

#include "dataplane/node/state/world.h"

namespace overlane::runner {

/// What was changed of a world, one line each: "node-2 stops", and of each state the lines that
/// went and came, "node-2 - default via 10.250.0.1 dev eth0".
std::vector<std::string> lines_of(const node::World& before, const node::World& after,
                                  const node::WorldChange& change);

}  // namespace overlane::runner
