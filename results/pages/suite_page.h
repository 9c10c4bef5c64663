#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/stats/judge.h"
#include "results/stats/trend.h"

namespace overlane::pages {

/// The input of the page of a suite. The referenced values must outlive it.
struct SuiteHistory {
  /// The oldest first. The last run with RunPurpose::Judged is tonight's.
  const std::vector<model::SuiteRun>& runs;
  const std::vector<stats::MetricTrend>& trends;
  /// Comparison of tonight's run with the base beside it, if it has one.
  const std::optional<stats::Judgement>& judgement;
};

/// The page about a night's run, to be read in the morning: the verdict, what changed and since
/// when, trends with their steps, overlays over routed pods night by night, latency distributions,
/// switches, and the machine.
std::string suite_page(const SuiteHistory& history);

}  // namespace overlane::pages
