#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dataplane/forward/walk.h"
#include "topologies/compile/compile.h"

namespace overlane::path {

// One packet's way without its bytes and without a record: the cheap form of trace(), for
// questions that are asked many times. find_black_hole() repeats it as TCP does, to tell a path
// whose MTU is too small and which sends no ICMP error (RFC 2923, section 2.1).

using forward::Walk;

/// Walks one packet, as forward::walk() does.
Walk walk(const compile::Compiled& states, std::uint32_t from_node, const forward::Packet& packet);

/// A path MTU black hole (RFC 2923 2.1): packets of this size are dropped, smaller ones are
/// delivered, and the sender gets no ICMP error.
struct BlackHole {
  Drop drop = Drop::FabricMtuExceeded;
  /// The lines of the state's text that cause it: the MTU, and the cause of the missing ICMP error.
  std::vector<std::string> entries;
};

/// Sends the packet repeatedly as TCP does. Nothing if one is delivered, the sender gets an ICMP
/// error, or the drop does not depend on the size.
std::optional<BlackHole> find_black_hole(const compile::Compiled& states, std::uint32_t from_node,
                                         const forward::Packet& packet);

}  // namespace overlane::path
