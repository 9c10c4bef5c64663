#pragma once

#include "results/finding/finding.h"
#include "scenarios/migration/inputs/asked.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::migration {

/// What is known to go wrong in a switch that is not simulated, as notes of the rule
/// `known-hazard`, each with its source. For how long is not known.
Findings known_hazards(const effective::EffectiveDataplane& shoot, Target to);

}  // namespace overlane::migration
