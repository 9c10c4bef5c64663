#pragma once

#include <vector>

#include "topologies/overlap/inventory/shoot.h"
#include "topologies/rules/rule.h"

namespace overlane::overlap {

/// For each provider of which nobody here knows what its shoots share a finding `unmodelled_rule`
/// with their names: they are compared only where a connection that is declared joins them.
Findings find_unmodelled(const std::vector<Shoot>& shoots);

/// `network-not-modelled`.
const rules::Rule& unmodelled_rule();

}  // namespace overlane::overlap
