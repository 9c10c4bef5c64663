#pragma once

#include <optional>
#include <vector>

#include "dataplane/forward/forward.h"
#include "topologies/compile/compile.h"

namespace overlane::path {

/// What became of one packet between two pods.
struct Walk {
  std::optional<Drop> drop;  ///< Nothing when it reached the destination pod.
  std::vector<forward::Step> steps;

  bool delivered() const { return !drop.has_value(); }
};

/// Walks one packet of `ip_bytes` (20…65535) from a pod to another, node by node, with fresh
/// runtimes. `dont_fragment` as TCP sends it. Packets that loop die by their TTL.
Walk walk(const compile::Compiled& states, std::uint32_t from_node, IpAddress source,
          IpAddress destination, std::uint16_t ip_bytes, bool dont_fragment);

}  // namespace overlane::path
