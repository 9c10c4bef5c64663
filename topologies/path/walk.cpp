#include "topologies/path/walk.h"

#include <algorithm>
#include <cassert>

#include "topologies/path/needed.h"

namespace overlane::path {

Walk walk(const compile::Compiled& states, std::uint32_t from_node, const forward::Packet& packet) {
  assert(from_node < states.nodes.size());
  return forward::walk(states.nodes, states.fabric, from_node, packet);
}

std::optional<BlackHole> find_black_hole(const compile::Compiled& states, std::uint32_t from_node,
                                         const forward::Packet& packet) {
  // The first ICMP error informs the tunnel endpoint, the second one the pod.
  constexpr int kAttempts = 3;
  forward::WalkSender sender(states.nodes, states.fabric);
  Walk last;
  for (int i = 0; i < kAttempts; ++i) {
    last = sender.send(from_node, packet);
    if (last.delivered() || sender.is_told()) return std::nullopt;
  }
  if (facts(*last.drop).gate != Gate::Mtu) return std::nullopt;
  BlackHole found{.drop = *last.drop, .entries = {}};
  for (const forward::Step& step : last.steps) {
    const bool made_it = step.drop == last.drop || step.decision == "answer";
    if (made_it && !step.state_entry.empty()) found.entries.push_back(step.state_entry);
  }
  std::ranges::reverse(
      found.entries);  // First the cause of the drop, then of the missing ICMP error.
  return found;
}

}  // namespace overlane::path
