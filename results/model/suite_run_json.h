#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "results/base/json_reader.h"
#include "results/finding/finding.h"
#include "results/model/suite_run.h"

namespace overlane::model {

// Two JSON forms of a SuiteRun with the same content: a document for programs, and JSON lines for
// version control. Decoders accept only documents of kSuiteRunVersion.

/// The `schema_version` of a SuiteRun.
inline constexpr int kSuiteRunVersion = 1;

/// The SuiteRun document: the run, its `cases[]`, and the `metrics[]` of each with their
/// `samples[]`, which are pairs of round and value.
nlohmann::ordered_json encode(const SuiteRun& run);
Parsed<SuiteRun> decode_suite_run(const nlohmann::ordered_json& document);

/// A run as JSON lines, which version control compares line by line: the run without its cases,
/// then for each case a line, and one for each of its metrics.
std::string suite_run_lines(const SuiteRun& run);
/// Reads the lines of any number of runs, one after another. The error begins with the number of
/// the line.
Parsed<std::vector<SuiteRun>> read_suite_run_lines(std::string_view lines);

/// The list of changes that a run accepts.
nlohmann::ordered_json encode(const std::vector<AcceptedChange>& accepted);
std::vector<AcceptedChange> decode_accepted_changes(const JsonReader& json);

/// A figure as a number or a text.
nlohmann::ordered_json encode_figure(const Figure& figure);

}  // namespace overlane::model
