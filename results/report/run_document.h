#pragma once

#include <string>

#include "results/answer/document.h"
#include "results/model/run_report.h"

namespace overlane::report {

/// A run as a document, from which text, Markdown and the page are rendered: what ran, a verdict on
/// each variant, drops and interruptions; then events, the figures of all variants side by side,
/// their course over time, what events change, the limit of each traffic group, the assumptions
/// with their sources, the findings, and the facts for repeating the run. Builds it without
/// simulating anything; may be called from any thread.
answer::Document run_document(const model::RunReport& report);

/// True if the run had no cost profile: its report names the profile "none".
inline bool cpu_time_is_free(const model::RunReport& report) {
  return report.cost_profile == "none";
}

/// "m5.large: 2 cores, 750 Mbit/s sustained (10 Gbit/s in bursts)"; says which figures are assumed.
/// The sustained rate is named only if it is the rate of the run.
std::string machine_text(const model::NodeMachine& machine);

/// Whether the traffic was configured to cross zones but there is only one (rule
/// zones-unavailable).
bool stays_in_one_zone(const model::RunReport& report, const std::string& traffic);

}  // namespace overlane::report
