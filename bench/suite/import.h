#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"
#include "results/model/suite_run.h"

namespace overlane::suite {

/// The runs in a text:
/// - SuiteRun documents, or the JSON lines of several;
/// - a result of one program as a run of one case, with the metrics that a suite gives such a case:
///   a RunReport, a FastpathReport, or the JSON of Google Benchmark. `name` is then the run's id
///   and, unless the result has a name, its case's.
/// The error says what is wrong with the text.
Parsed<std::vector<model::SuiteRun>> import_runs(std::string_view text, const std::string& name);

/// The same of a file, whose name errors begin with.
Parsed<std::vector<model::SuiteRun>> import_file(const std::string& file);

/// The times of a run as Google Benchmark's JSON, which its compare.py reads: one row for each
/// sample of each metric in nanoseconds.
std::string google_benchmark_json(const model::SuiteRun& run);

}  // namespace overlane::suite
