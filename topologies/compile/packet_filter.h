#pragma once

#include <memory>

#include "dataplane/node/state/packet_filter.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::compile {

/// What Felix programs on every node of the shoot besides routes, or what Cilium's eBPF programs do
/// in its place. One for all nodes.
std::shared_ptr<const node::PacketFilter> packet_filter(const effective::EffectiveDataplane& shoot);

}  // namespace overlane::compile
