#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/stats/judge.h"
#include "results/stats/trend.h"

namespace overlane::pages {

/// The input of the page of a suite. The referenced values must outlive it.
struct SuiteHistory {
  /// Runs of the suite, the oldest first. The last run with RunPurpose::Judged is tonight's.
  const std::vector<model::SuiteRun>& runs;
  const std::vector<stats::MetricTrend>& trends;
  /// Comparison of tonight's run with the base that alternated with it, if it has one.
  const std::optional<stats::Judgement>& judgement;
};

/// The page of a nightly run: the verdict, the metrics that changed and since when, trends with
/// their steps, the ratio of overlay to routed pods by night, latency distributions, simulated
/// switches, and the machine.
std::string suite_page(const SuiteHistory& history);

}  // namespace overlane::pages
