#pragma once

#include <span>

#include "topologies/live/live.h"

namespace overlane::live {

using rules::Check;

/// Rules about the pod CIDRs and conditions of Nodes.
std::span<const Check<LiveInputs>> node_checks();
/// The rules of decode_observed(), and one about objects of another network type.
std::span<const Check<LiveInputs>> input_checks();

}  // namespace overlane::live
