#pragma once

#include <string>
#include <vector>

#include "results/model/run_report.h"
#include "results/report/column_table.h"

namespace overlane::report {

/// A section below a run's figures: lines of text for a terminal.
struct RunNote {
  std::string title;
  std::string lines;
};

/// The sections below a run's figures, those that have lines: what events change, the variants that
/// did not run and why, the limit of each traffic group, the assumptions with their sources, the
/// findings, and the facts for repeating the run.
std::vector<RunNote> run_note_list(const model::RunReport& report);
/// The same as text.
std::string run_notes(const model::RunReport& report, Style style);

/// Reports of runs without a cost profile have one of this name.
inline bool cpu_time_is_free(const model::RunReport& report) {
  return report.cost_profile == "none";
}

/// "m5.large: 2 cores, 750 Mbit/s sustained (10 Gbit/s in bursts)", or which figures are assumed. A
/// sustained rate is the one that the run has.
std::string machine_text(const model::NodeMachine& machine);

/// Whether the traffic was configured to cross zones but there is only one (rule
/// zones-unavailable).
bool stays_in_one_zone(const model::RunReport& report, const std::string& traffic);

}  // namespace overlane::report
