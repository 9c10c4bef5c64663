#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bench/suite/suite.h"
#include "results/finding/finding.h"
#include "results/model/suite_run.h"

namespace overlane::suite {

// The figures of one program's result: values_of() reads them from JSON and names each by its path,
// collect() selects those that a suite's patterns make metrics, and import_runs() makes a run of a
// suite from results that were not measured by one.

/// A number or text of a result, with its name.
struct NamedFigure {
  std::string name;
  model::Figure figure;

  bool operator==(const NamedFigure&) const = default;
};

/// The values of a result, in its order. A value's name is the keys that lead to it, joined by
/// slashes; an item of a list is called by its member `name`, or by its number from 0:
/// "variants/routed/engine/events". Neither null nor true and false are values.
///
/// - Of a RunReport also the derived "variants/NAME/engine/ns_per_packet_hop".
/// - Of Google Benchmark's JSON, for each repetition of each benchmark: "NAME/cpu_time_ns" and
///   "NAME/real_time_ns" in nanoseconds per iteration, and its counters by their names.
///   An error if a benchmark reported one.
Parsed<std::vector<NamedFigure>> values_of(const nlohmann::ordered_json& result);

/// The value of the instructions that callgrind counted.
inline constexpr const char* kInstructions = "process/instructions";

/// Adds those values of a round to `metrics` that a pattern makes metrics: the first that matches.
/// Only kInstructions is a metric of tolerance `instructions`.
void collect(const std::vector<NamedFigure>& values, std::int64_t round,
             std::span<const MetricPattern> patterns, std::vector<model::MeasuredMetric>& metrics);

/// The patterns that no metric has the name of.
std::vector<std::string> unmatched(std::span<const MetricPattern> patterns,
                                   const std::vector<model::MeasuredMetric>& metrics);

/// The runs in a text:
/// - SuiteRun documents, or the JSON lines of several;
/// - a result of one program as a run of one case, with the metrics that a suite gives such a case:
///   a RunReport, a FastpathReport, or the JSON of Google Benchmark. `name` is then the run's id
///   and, unless the result has a name, its case's.
/// The error says what is wrong with the text.
Parsed<std::vector<model::SuiteRun>> import_runs(std::string_view text, const std::string& name);

/// import_runs() of a file; errors begin with its name.
Parsed<std::vector<model::SuiteRun>> import_file(const std::string& file);

/// The times of a run as Google Benchmark's JSON, which its compare.py reads: one row for each
/// sample of each metric in nanoseconds.
std::string google_benchmark_json(const model::SuiteRun& run);

}  // namespace overlane::suite
