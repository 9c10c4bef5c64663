#pragma once

#include "results/model/run_report.h"
#include "scenarios/runner/load/given_files.h"
#include "scenarios/runner/load/prepare.h"
#include "scenarios/runner/load/request.h"

namespace overlane::runner {

/// Runs every variant of a prepared scenario and returns the report. A variant that is not admitted
/// or cannot deliver packets has a status and a reason instead of results. If the run is stopped,
/// the report says so (`ending`, and a finding): finished variants are complete, the others are
/// `partial` or `not-run`.
Outcome<model::RunReport> run(const Prepared& prepared, const Request& request);

}  // namespace overlane::runner
