#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"
#include "results/model/suite_run.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"

namespace overlane::suite {

/// Values of a program's result that are metrics, and how changes of them are judged.
struct MetricPattern {
  std::string value;  ///< Name of a value (values.h); `*` matches any characters.
  std::string unit;
  model::Better better = model::Better::Neither;
  model::Tolerance tolerance = model::Tolerance::Exact;
  SourceLocation place;
};

/// One program of a suite with its metrics.
struct SuiteCase {
  std::string name;
  std::string owner;  ///< Owner who handles regressions.
  /// The program and its arguments, run in the suite's folder. A program without a slash is
  /// searched in the measured build, then in PATH.
  std::vector<std::string> command;
  std::vector<MetricPattern> metrics;
  std::vector<int> exit_codes{0};       ///< Exit codes with which the result is valid.
  std::chrono::milliseconds timeout{};  ///< Time limit of each run of the program.
  SourceLocation place;

  /// Whether some metric is a time, which changes from round to round.
  bool has_time() const;
  /// Whether some metric needs callgrind.
  bool has_instructions() const;
};

/// Numbers of rounds and runs for a case that has times.
struct Rounds {
  std::uint32_t min = 5;   ///< Minimum number of rounds of each build.
  std::uint32_t max = 20;  ///< Maximum number of rounds, if the intervals are still wider than the
                           ///< tolerance allows.
  std::uint32_t runs = 1;  ///< Runs of the program per round; the best one counts.
};

/// A file of `kind: Suite`.
struct Suite {
  std::string name;
  std::string file;
  std::string digest;  ///< Digest of the file's text; empty if the suite was not read from a file.
  Rounds rounds;
  std::vector<model::AcceptedChange> accepted;
  std::vector<SuiteCase> cases;
};

/// The default metrics of a case without its own, for the programs `scenario`, `benchmark` and
/// `fastpath`.
std::vector<MetricPattern> usual_metrics(std::string_view program);

/// Reads a suite from a file, or, if there is no such file, the suite of this name that is linked
/// into the program. The latter runs in the current folder.
Result<Suite, Findings> load_suite(const std::string& name);

/// The names of the suites that are linked into the program (from bench/suites): "quick".
std::vector<std::string> built_in_suites();

/// Decodes a suite and adds errors to the Problems of `root`.
Suite decode_suite(document::Fields& root);

}  // namespace overlane::suite
