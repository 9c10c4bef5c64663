#pragma once

#include <string>

#include "topologies/derive/outline.h"

namespace overlane::derive::testing {

/// The names of those fields in which an outline says something else than derive(), each with a
/// blank after it; empty as it should be.
std::string differences(const Outline& outlined, const effective::EffectiveDataplane& derived);

}  // namespace overlane::derive::testing
