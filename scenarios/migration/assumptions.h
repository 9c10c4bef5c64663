#pragma once

#include <span>
#include <vector>

#include "scenarios/migration/inputs/hazards.h"
#include "scenarios/migration/strategy_runs.h"

// Strategies if assumptions do not hold. A fact such as "the network does not use OVN" has two
// values, a duration has a plausible range. Each function simulates strategies with other values
// and adds to their results: conditions, worst cases, outages at worst.

namespace overlane::migration {

/// Simulates every strategy with the other value of each fact. A fact that changes the verdict is a
/// condition.
void vary_facts(const Loaded& loaded, const std::vector<UncertainFact>& facts,
                const EvaluationOptions& options, std::vector<StrategyResult>& strategies);

/// Simulates every strategy with several assumptions that do not hold: with either value of each
/// fact, and then with all durations at their shortest, at their longest, and each at the end of
/// its range that is worse for the strategy. Also finds the maintenance windows. Above kManyNodes,
/// only the worse ends for the best strategy are looked for, all strategies get these, and those
/// whose verdict is no-go already are left out.
void vary_durations(const Loaded& loaded, const std::vector<UncertainFact>& facts,
                    const EvaluationOptions& options, std::vector<StrategyResult>& strategies);

/// Simulates strategies at both ends of the range of each duration, the others as assumed. A
/// duration that changes the verdict is a condition. Leaves out the same strategies as
/// vary_durations().
void vary_each_duration(const Loaded& loaded, const EvaluationOptions& options,
                        std::span<StrategyResult> strategies);

}  // namespace overlane::migration
