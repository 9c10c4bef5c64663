#pragma once

#include <string>

#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::node {

/// What changed between two states, in the lines of their texts (to_string): "- " before a line
/// that went, "+ " before one that came, sorted as the text is, a line's old form before its new
/// one. Taking the former out of the text of `before` and the latter in gives the lines of `after`;
/// empty when the texts are the same.
///
/// Between states that share a cluster table it costs as much as they differ: the peers' routes are
/// not expanded unless a device they need came or went.
std::string diff(const NodeState& before, const NodeState& after);

/// The same for a VPC. Costs one comparison for each route.
std::string diff(const FabricState& before, const FabricState& after);

}  // namespace overlane::node
