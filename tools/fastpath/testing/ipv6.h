#pragma once

#include <string>

#include "dataplane/node/state/node_state.h"
#include "tools/fastpath/testing/testbed.h"

namespace overlane::fastpath {

/// IPv6 beside what a testbed has: the addresses of node::testing::make_cluster, whose first node
/// is the fast path, fd00:10:250::4, and whose second one is the far node, fd00:10:250::5.
inline constexpr const char* kNearPod6 = "fd00:10:96:1::10";
inline constexpr const char* kFarPod6 = "fd00:10:96:2::10";

/// The fast path's state. `encapsulation`: None or Vxlan.
node::NodeState near_state(Encapsulation encapsulation);

/// Gives both pods and the far node such addresses and routes.
Result<void, std::string> add_ipv6(const NearSide& near, const FarSide& far,
                                   Encapsulation encapsulation);

}  // namespace overlane::fastpath
