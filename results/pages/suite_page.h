#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/stats/judge.h"
#include "results/stats/trend.h"

namespace overlane::pages {

/// What the page of a suite is made of. References to the caller's values.
struct SuiteHistory {
  const std::vector<model::SuiteRun>&
      runs;  ///< The oldest first; the last judged one is tonight's.
  const std::vector<stats::MetricTrend>& trends;
  /// Tonight's comparison with the base beside it, if it has one.
  const std::optional<stats::Judgement>& judgement;
};

/// A page to open in the morning: the verdict, what changed and since when, trends with their
/// steps, overlays over routed pods night by night, latency distributions, switches, and the
/// machine.
std::string suite_page(const SuiteHistory& history);

}  // namespace overlane::pages
