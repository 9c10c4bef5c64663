#pragma once

#include <cstdint>
#include <string>

#include "topologies/overlap/report/report.h"

namespace overlane::overlap {

/// The action for an overlap: the change in the manifest of a shoot that is not created yet; else
/// the rule's remedy and a workaround on this provider. `shoots`: number of shoots that overlap in
/// the same way.
std::string advice(const Overlap& overlap, std::uint64_t shoots = 2);

}  // namespace overlane::overlap
