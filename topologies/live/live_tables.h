#pragma once

#include <span>

#include "topologies/live/live.h"

namespace overlane::live {

using rules::Check;

/// Of the pod ranges and conditions of Nodes.
std::span<const Check<LiveInputs>> node_checks();
/// Of Calico's IPPools.
std::span<const Check<LiveInputs>> pool_checks();
/// Of calico-node's settings.
std::span<const Check<LiveInputs>> felix_checks();
/// Of cilium's settings.
std::span<const Check<LiveInputs>> cilium_checks();
/// Of decode_observed(), and of objects that do not belong to the shoot's network type.
std::span<const Check<LiveInputs>> input_checks();

}  // namespace overlane::live
