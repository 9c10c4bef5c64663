#pragma once

#include <string>

#include "results/model/run_report.h"
#include "results/report/column_table.h"

namespace overlane::report {

/// The sections below a run's figures: the variants that did not run and why, the limit of each
/// traffic group, the assumptions with their sources, and the facts for repeating the run.
std::string run_notes(const model::RunReport& report, Style style);

/// Reports of runs without a cost profile have one of this name.
inline bool cpu_time_is_free(const model::RunReport& report) {
  return report.cost_profile == "none";
}

/// Whether the traffic was configured to cross zones but there is only one (rule
/// zones-unavailable).
bool stays_in_one_zone(const model::RunReport& report, const std::string& traffic);

}  // namespace overlane::report
