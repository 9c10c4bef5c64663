#pragma once

#include <string>

#include "scenarios/migration/evaluate.h"

namespace overlane::migration {

/// An SVG 1.1 picture (self-contained, no script) of a strategy's first run: over time, which share
/// of each node's pairs with others is interrupted, and below what each component does. Of more
/// than 60 nodes, the classes of pairs take the place of the nodes. Deterministic.
std::string draw_course(const Loaded& loaded, const StrategyResult& result);

}  // namespace overlane::migration
