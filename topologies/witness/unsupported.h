#pragma once

#include <string>
#include <string_view>

#include "results/finding/finding.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::witness {

inline constexpr std::string_view kUnsupported = "unsupported-witness";

/// A note of this rule about a shoot: the packet's outcome is not modelled.
tl::unexpected<Finding> unsupported(const effective::EffectiveDataplane& shoot, std::string message,
                                    std::string hint);

}  // namespace overlane::witness
