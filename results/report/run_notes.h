#pragma once

#include <string>

#include "results/model/run_report.h"
#include "results/report/column_table.h"

namespace overlane::report {

/// What stands below the figures of a run, in sections: the variants that did not run and why, what
/// limits each traffic group, the assumptions with their sources, and the facts that identify and
/// repeat the run.
std::string run_notes(const model::RunReport& report, Style style);

/// A run without a cost profile is reported with one of this name.
inline bool cpu_time_is_free(const model::RunReport& report) {
  return report.cost_profile == "none";
}

/// Whether the traffic was to cross zones and there is only one: the rule zones-unavailable.
bool stays_in_one_zone(const model::RunReport& report, const std::string& traffic);

}  // namespace overlane::report
