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

/// Which values of a program's result are metrics, and how they are judged.
struct MetricPattern {
  std::string value;  ///< Names of values (values.h); `*` stands for any characters.
  std::string unit;
  model::Better better = model::Better::Neither;
  model::Tolerance tolerance = model::Tolerance::Exact;
  SourceLocation place;
};

/// One program of a suite, and what is measured of it.
struct SuiteCase {
  std::string name;
  std::string owner;  ///< Whom a regression concerns.
  /// The program and its arguments. A program without a slash is one of the build that is measured,
  /// or of the PATH. It runs in the suite's folder.
  std::vector<std::string> command;
  std::vector<MetricPattern> metrics;
  std::vector<int> exit_codes{0};       ///< With which its result counts.
  std::chrono::milliseconds timeout{};  ///< Of each run of the program.
  SourceLocation place;

  /// Whether some metric changes from round to round.
  bool has_time() const;
  /// Whether some metric needs callgrind.
  bool has_instructions() const;
};

/// How often a case with times runs.
struct Rounds {
  std::uint32_t least = 5;  ///< Of each build.
  std::uint32_t most = 20;  ///< If the intervals are still wider than the tolerance allows.
  std::uint32_t runs = 1;   ///< Of the program in each round, of which the best one counts.
};

/// A `kind: Suite` file.
struct Suite {
  std::string name;
  std::string file;
  std::string digest;  ///< Of the file's text; empty if it was not read from a file.
  Rounds rounds;
  std::vector<model::AcceptedChange> accepted;
  std::vector<SuiteCase> cases;
};

/// The metrics of a case that names none: of `scenario`, `benchmark` or `fastpath`.
std::vector<MetricPattern> usual_metrics(std::string_view program);

/// Reads a suite from a file.
Result<Suite, Findings> load_suite(const std::string& file);

/// Decodes a suite; adds errors to the fields' Problems.
Suite decode_suite(document::Fields& root);

}  // namespace overlane::suite
