#pragma once

#include <optional>

#include "results/model/suite_run.h"

namespace overlane::stats {

/// Yardsticks of two runs that differ by more are of different classes of machine, whatever their
/// names are.
inline constexpr double kSameMachine = 1.25;

/// The medians of a run's yardsticks over all its rounds; nothing without rounds.
std::optional<model::Yardsticks> yardsticks_of(const model::SuiteRun& run);

/// Whether yardsticks are of the same class of machine.
bool is_same_machine(const model::Yardsticks& a, const model::Yardsticks& b);

/// The same of two runs; false if one has no yardsticks.
bool is_same_machine(const model::SuiteRun& a, const model::SuiteRun& b);

}  // namespace overlane::stats
