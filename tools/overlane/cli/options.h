#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/derive/derive.h"

namespace CLI {
class App;
}

namespace overlane::command {

enum class Format { Table, Json, JsonLines, Csv };

/// Where a result goes and what it looks like.
struct OutputOptions {
  Format format = Format::Table;
  std::string file;  ///< Empty: standard output.
  bool no_color = false;
};

/// What every verb that reads manifests or scenarios takes.
struct InputOptions {
  std::vector<std::string> paths;  ///< Files, folders, or "-" for standard input.
  derive::DeriveOptions derive;
  std::optional<std::uint64_t> seed;  ///< Nothing: the scenario's own, or 1.
  std::uint32_t threads = 0;          ///< 0: as many as there are cores. Never changes a result.
  Severity fail_on = Severity::Error;
  bool quiet = false;  ///< Print only findings at or above `fail_on`.
};

/// What a verb's result consists of: only a list of records can be JSON lines, and only rows of one
/// kind CSV.
enum class ResultShape { Document, Records, Rows };

/// Adds -o, --out and --no-color to a verb.
void add_output_options(CLI::App& verb, OutputOptions& options,
                        ResultShape shape = ResultShape::Document);

/// Adds --fail-on and --quiet, which means `quiet_means`, to a verb.
void add_finding_options(
    CLI::App& verb, Severity& fail_on, bool& quiet,
    const char* quiet_means = "Print only findings at or above --fail-on on standard error");

/// Refuses a result for programs on standard output while one of the other `files` is written
/// there.
void refuse_two_results(const OutputOptions& options, std::initializer_list<std::string> files);

/// Refuses integers that CLI11 would take for the nearest one that 64 bits hold.
std::string too_long(const std::string& number);

/// Adds the PATH… arguments, --stage and --calico-version to a verb.
void add_manifest_options(CLI::App& verb, InputOptions& options);

/// Adds --seed to a verb that draws random numbers.
void add_seed_option(CLI::App& verb, InputOptions& options);

/// Adds the manifest options, --threads, --fail-on and --quiet.
void add_input_options(CLI::App& verb, InputOptions& options);

}  // namespace overlane::command
