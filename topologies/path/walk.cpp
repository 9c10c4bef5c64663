#include "topologies/path/walk.h"

#include <algorithm>

#include "topologies/path/gate.h"

namespace overlane::path {

Walk walk(const compile::Compiled& states, std::uint32_t from_node, const forward::Packet& packet) {
  return forward::walk(states.nodes, states.fabric, from_node, packet);
}

std::optional<BlackHole> find_black_hole(const compile::Compiled& states, std::uint32_t from_node,
                                         const forward::Packet& packet) {
  // A router tells a tunnel's end of the first one, and that tells the pod of the second.
  constexpr int kAttempts = 3;
  forward::WalkSender sender(states.nodes, states.fabric);
  Walk last;
  for (int i = 0; i < kAttempts; ++i) {
    last = sender.send(from_node, packet);
    if (last.delivered() || sender.is_told()) return std::nullopt;
  }
  if (gate_of(*last.drop) != Gate::Mtu) return std::nullopt;
  BlackHole found{.drop = *last.drop, .entries = {}};
  for (const forward::Step& step : last.steps) {
    const bool made_it = step.drop == last.drop || step.decision == "answer";
    if (made_it && !step.state_entry.empty()) found.entries.push_back(step.state_entry);
  }
  std::ranges::reverse(found.entries);  // What dropped it first, then who keeps quiet.
  return found;
}

}  // namespace overlane::path
