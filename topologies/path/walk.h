#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataplane/forward/walk.h"
#include "topologies/compile/compile.h"

namespace overlane::path {

using forward::Walk;

/// Walks one packet, as forward::walk() does.
Walk walk(const compile::Compiled& states, std::uint32_t from_node, const forward::Packet& packet);

/// Why no packet of this size arrives, although smaller ones may, and why its sender never hears of
/// it: a path MTU black hole (RFC 2923 2.1).
struct BlackHole {
  Drop drop = Drop::FabricMtuExceeded;
  /// The lines of the state's text that make it: the MTU, and who keeps the ICMP error back.
  std::vector<std::string> entries;
};

/// Sends the packet as a TCP does that repeats it until it hears why; nothing when one arrives, the
/// sender is told, or something else than its size stops it.
std::optional<BlackHole> find_black_hole(const compile::Compiled& states, std::uint32_t from_node,
                                         const forward::Packet& packet);

}  // namespace overlane::path
