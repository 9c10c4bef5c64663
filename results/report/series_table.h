#pragma once

#include "results/answer/document.h"
#include "results/model/run_report.h"

namespace overlane::report {

/// The figures of all variants over time, as rows of bars from zero to the largest of any variant:
/// throughput and drops of each traffic group, CPU use and the fullest queues of the nodes. The
/// section has no blocks if no variant has a series (model::Series).
answer::Section series_section(const model::RunReport& report);

}  // namespace overlane::report
