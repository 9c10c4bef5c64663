#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "results/model/run_report.h"

namespace overlane::model {

/// The RunReport document. Ratios without a value and the latency of traffic without a sample are
/// null, as are `engine`, `byte_path` and `nodes` of a variant that did not run; `drops` names the
/// reasons that occurred.
nlohmann::ordered_json encode(const RunReport& report);

/// The `environment` of a report.
nlohmann::ordered_json encode(const Environment& environment);

/// XXH3-128, as 32 hexadecimal digits, of the compact JSON with sorted keys of the results:
/// scenario, variants without `engine` and without diagnostics (`series`, `steady_state`, the
/// limits' `movements`), comparison, both without the means and intervals of repetitions. Fractions
/// enter it as integers in parts per million, so that it depends neither on wall-clock time nor on
/// how a double is printed.
std::string result_hash(const RunReport& report);

}  // namespace overlane::model
