#pragma once

#include <string>

#include "results/model/suite_run.h"

namespace overlane::model {

/// A run with one complete and one failed case.
SuiteRun example_suite_run(const std::string& id);

}  // namespace overlane::model
