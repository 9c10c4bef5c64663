#pragma once

#include "dataplane/neighbour/settings.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::dpdk {

/// For whom a node answers: to pods, and to a host whose default route leads here as theirs does.
neighbour::Answers gateway_answers();

/// The same to the other nodes.
neighbour::Answers uplink_answers(const node::NodeState& state);

}  // namespace overlane::dpdk
