#pragma once

#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "results/stats/judge.h"
#include "results/store/store.h"

namespace CLI {
class App;
}

namespace overlane::command {

/// Adds --limit TOLERANCE=PERCENT to a verb.
void add_limit_option(CLI::App& verb, std::vector<std::string>& given);

/// The limits to judge `changed` by: those of --limit, and the noise of the latest A/A run of its
/// suite on its class of machine, if the store has one. An error if the noise of a metric is above
/// a limit of --limit: nothing that it calls worse could be believed.
Parsed<stats::JudgementLimits> limits_for(const model::SuiteRun& changed,
                                          const std::vector<std::string>& given,
                                          const store::Store* store);

}  // namespace overlane::command
