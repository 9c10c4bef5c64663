#pragma once

#include <string>

#include "dataplane/node/state/node_state.h"
#include "tools/fastpath/testing/testbed.h"

namespace overlane::fastpath {

/// IPv6 in addition to a testbed's IPv4, with the addresses of node::testing::make_cluster: its
/// first node is the fast path, fd00:10:250::4, its second one the far node, fd00:10:250::5.
inline constexpr const char* kNearPod6 = "fd00:10:96:1::10";
inline constexpr const char* kFarPod6 = "fd00:10:96:2::10";

/// The fast path's state. `encapsulation`: None or Vxlan.
node::NodeState near_state(Encapsulation encapsulation);

/// Adds these addresses and routes to both pods and the far node.
Result<void, std::string> add_ipv6(const NearSide& near, const FarSide& far,
                                   Encapsulation encapsulation);

}  // namespace overlane::fastpath
