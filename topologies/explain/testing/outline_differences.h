#pragma once

#include <string>

#include "topologies/explain/outline.h"

namespace overlane::explain::testing {

/// The names of those fields in which an outline says something else than derive(), each with a
/// blank after it; empty as it should be.
std::string differences(const Outline& outlined, const effective::EffectiveDataplane& derived);

}  // namespace overlane::explain::testing
