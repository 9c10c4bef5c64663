#pragma once

#include <string>
#include <vector>

#include "dataplane/node/node_state.h"

namespace overlane::node {

/// The parts of a node's text. Each line stands for itself, so that a difference can be told line
/// by line.

/// "cali64600002: veth mtu 1500 state UP", with the MTU of the routes inside the pod if they have
/// one of their own.
std::string pod_line(const LocalPod& pod);

/// The permanent entries that Felix makes for its VXLAN devices' peers: as `ip neigh` and as
/// `bridge fdb` print them. Sorted.
std::vector<std::string> neighbour_lines(const NodeState& state);

/// The node addresses that tunnel packets are taken from, as `ipset save` prints them, and the
/// packet filter's rules.
std::vector<std::string> filter_lines(const NodeState& state);

/// As `sysctl` prints them, and what the kernel does that no sysctl tells.
std::vector<std::string> sysctl_lines(const NodeState& state);

}  // namespace overlane::node
