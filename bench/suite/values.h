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

// The figures in the result of a program. values_of() reads them from JSON and names each figure by
// its path. collect() selects those that are metrics according to a suite's patterns. import_runs()
// makes a run of a suite from results that no suite run measured.

/// A number or text of a result and its name.
struct NamedFigure {
  std::string name;
  model::Figure figure;

  bool operator==(const NamedFigure&) const = default;
};

/// Returns the values of a result, in its order. The name of a value consists of the keys of its
/// path, joined by slashes. In a list, the key of an item is its member `name`, or its index from
/// 0: "variants/routed/engine/events". null, true and false are not values.
///
/// - For a RunReport, also the derived values "variants/NAME/engine/ns_per_packet_hop".
/// - For Google Benchmark's JSON, for each repetition of each benchmark: "NAME/cpu_time_ns" and
///   "NAME/real_time_ns" in nanoseconds per iteration, and its counters by their names.
///   Fails if a benchmark reported an error.
Parsed<std::vector<NamedFigure>> values_of(const nlohmann::ordered_json& result);

/// The value of the instructions that callgrind counted.
inline constexpr const char* kInstructions = "process/instructions";

/// Adds to `metrics` the values of a round that match a pattern; the first matching pattern counts.
/// A pattern with tolerance `instructions` matches only kInstructions.
void collect(const std::vector<NamedFigure>& values, std::int64_t round,
             std::span<const MetricPattern> patterns, std::vector<model::MeasuredMetric>& metrics);

/// The patterns that match no metric.
std::vector<std::string> unmatched(std::span<const MetricPattern> patterns,
                                   const std::vector<model::MeasuredMetric>& metrics);

/// The runs in a text:
/// - SuiteRun documents, or the JSON lines of several;
/// - a result of one program as a run of one case, with the metrics that a suite gives such a case:
///   a RunReport, a FastpathReport, or the JSON of Google Benchmark. `name` is then the run's id
///   and, unless the result has a name, its case's.
/// Fails if the text is in no such format.
Parsed<std::vector<model::SuiteRun>> import_runs(std::string_view text, const std::string& name);

/// import_runs() of a file. Errors begin with the file name.
Parsed<std::vector<model::SuiteRun>> import_file(const std::string& file);

/// The times of a run as JSON of Google Benchmark, which its compare.py reads: one row for each
/// sample of each metric in nanoseconds.
std::string google_benchmark_json(const model::SuiteRun& run);

}  // namespace overlane::suite
