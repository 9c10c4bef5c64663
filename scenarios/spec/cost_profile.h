#pragma once

#include "results/finding/result.h"
#include "sim/cost/cost_profile.h"
#include "topologies/document/fields.h"
#include "topologies/document/tree.h"

namespace overlane::spec {

/// Decodes a `kind: CostProfile` file: every stage of cost::kStages, in nanoseconds, with the
/// source of each value.
Result<cost::CostProfile, Findings> decode_cost_profile(const document::Tree& tree);
/// The same, straight through: the findings go to the fields' Problems.
cost::CostProfile decode_cost_profile(document::Fields& root);

}  // namespace overlane::spec
