#pragma once

#include <string>

#include "results/model/run_report.h"

namespace overlane::report {

/// A run for an issue or a change request, in Markdown: that it was simulated, for which shoot and
/// when; the sentences of the summary; each traffic group's figures with the changes against the
/// baseline and their ranges, drops and interruptions; variants without results; limits; findings;
/// assumptions.
std::string run_markdown(const model::RunReport& report);

/// "Simulated for shoot garden-dev/a, 2026-11-28 00:31 UTC. Nothing here was measured in a
/// cluster."
std::string origin_text(const model::RunReport& report);

}  // namespace overlane::report
