#pragma once

#include <string>

#include "results/answer/document.h"
#include "results/model/run_report.h"

namespace overlane::report {

/// Builds the document of a run, from which text, Markdown and the page are rendered. Its order:
/// the scenario and machine, a verdict on each variant, drops and interruptions; then events, the
/// figures of all variants side by side, the figures over time, the changes by events, the limit of
/// each traffic group, the assumptions with their sources, the findings, and the facts for
/// repeating the run. Simulates nothing; any thread may call it.
answer::Document run_document(const model::RunReport& report);

/// CSV with a row per traffic of each variant, without histograms; a variant without traffic is a
/// row.
std::string run_csv(const model::RunReport& report);

/// True if the run had no cost profile: its report names the profile "none".
inline bool cpu_time_is_free(const model::RunReport& report) {
  return report.cost_profile == "none";
}

/// "m5.large: 2 cores, 750 Mbit/s sustained (10 Gbit/s in bursts)", with a remark on assumed
/// figures. The sustained rate appears only if it was the rate of the run.
std::string machine_text(const model::NodeMachine& machine);

/// True if the traffic was configured to cross zones, but the network has only one zone (rule
/// zones-unavailable).
bool stays_in_one_zone(const model::RunReport& report, const std::string& traffic);

}  // namespace overlane::report
