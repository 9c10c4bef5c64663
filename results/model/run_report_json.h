#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "results/finding/finding.h"
#include "results/model/run_report.h"

namespace overlane::model {

// The JSON form of a RunReport. `overlane run -o json` prints it, and decode_run_report() reads it
// again, so that an earlier run can be rendered without simulating it. Encoder, decoder and JSON
// Schema come from one list of fields (run_report_json.cpp); encoder and decoder are inverse to
// each other. The document of a simulation contains the hash of its results.

/// The `schema_version` of a RunReport.
inline constexpr int kRunReportVersion = 1;

/// The RunReport document. These fields are null: ratios without a value, the latency of traffic
/// without a sample, and `engine`, `byte_path` and `nodes` of a variant that did not run. `drops`
/// contains only reasons that occurred.
nlohmann::ordered_json encode(const RunReport& report);

/// Decodes a RunReport document. encode() of the result gives the same document, provided that the
/// program version that wrote it computes result_hash() the same way. The error names the first
/// field that is missing or wrong.
Parsed<RunReport> decode_run_report(const nlohmann::ordered_json& document);

/// The JSON Schema (draft 2020-12) of RunReport documents, with a description of each field.
nlohmann::ordered_json run_report_schema();

/// Reads the fields of a variant's dataplane from the `dataplane` of an Explanation.
VariantDataplane decode_variant_dataplane(const nlohmann::ordered_json& dataplane);

/// One entry of `assumptions[]`.
nlohmann::ordered_json encode(const Assumption& assumption);

/// XXH3-128, as 32 hexadecimal digits, of the compact JSON with sorted keys of the results:
/// scenario, variants and comparison. Excluded are `engine`, diagnostics (`series`, `steady_state`,
/// the limits' `movements`) and the means and intervals of repetitions. Fractions are integers in
/// parts per million. The hash therefore depends neither on wall-clock time nor on how a double is
/// printed.
std::string result_hash(const RunReport& report);

}  // namespace overlane::model
