#pragma once

#include <cstdint>
#include <string>

#include "topologies/overlap/report/report.h"

namespace overlane::overlap {

/// What to do about an overlap: what to change in the manifest of a shoot that is not created yet,
/// and where; else what the rule says, and what helps until then on that provider. `shoots`: how
/// many the advice is for, which all overlap so.
std::string advice(const Overlap& overlap, std::uint64_t shoots = 2);

}  // namespace overlane::overlap
