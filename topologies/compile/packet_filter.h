#pragma once

#include <memory>

#include "dataplane/node/state/packet_filter.h"
#include "topologies/cni/extension/node_compiler.h"

namespace overlane::compile {

/// The packet filter that all nodes of the shoot share: masquerading, and the rules that the CNI's
/// agent adds.
std::shared_ptr<const node::PacketFilter> packet_filter(const effective::EffectiveDataplane& shoot,
                                                        const cni::NodeCompiler& cni);

}  // namespace overlane::compile
