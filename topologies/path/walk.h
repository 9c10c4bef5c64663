#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataplane/forward/walk.h"
#include "topologies/compile/compile.h"

namespace overlane::path {

using forward::Walk;

/// Walks one packet of `ip_bytes` (20…65535) from a pod, or from the node itself where the source
/// is an address of its own, to another, node by node, with fresh runtimes. `dont_fragment` as TCP
/// sends it. Packets that loop die by their TTL.
Walk walk(const compile::Compiled& states, std::uint32_t from_node, IpAddress source,
          IpAddress destination, std::uint16_t ip_bytes, bool dont_fragment);

/// The same of a packet that a pod of that node, or the node itself, sends.
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
