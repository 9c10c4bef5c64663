#pragma once

#include <vector>

#include "topologies/overlap/inventory/shoot.h"
#include "topologies/rules/rule.h"

namespace overlane::overlap {

/// One finding `network-not-modelled` per provider without a model of shared networks, with the
/// names of its shoots. These are compared only over declared connections.
Findings find_unmodelled(const std::vector<Shoot>& shoots);

/// `network-not-modelled`.
const rules::Rule& unmodelled_rule();

}  // namespace overlane::overlap
