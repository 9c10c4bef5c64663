#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "results/load_search/search.h"
#include "tools/overlane/cli/progress_line.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"

namespace CLI {
class App;
class FormatterBase;
class Option;
}  // namespace CLI

// Options that several verbs share, with the types that hold their values: inputs, outputs,
// findings, durations and load searches. Also reads the manifests named by the input options, and
// formats `--help`. The target of an option must outlive parsing. For the thread that runs main()
// only.
namespace overlane::command {

/// Adds an option with the allowed values `words`, and calls `choose` with the index of the given
/// one. Any other value is an error that lists the allowed ones.
void add_word(CLI::App& verb, const std::string& names, const std::vector<std::string_view>& words,
              std::function<void(std::size_t)> choose, const std::string& what);

/// An allowed word of an option and its value.
template <typename T>
using Choice = std::pair<std::string_view, T>;

/// Adds an option whose values are in a table, which must outlive parsing.
template <typename T, std::size_t count>
void add_choice(CLI::App& verb, const std::string& names, T& target,
                const std::array<Choice<T>, count>& choices, const std::string& what) {
  std::vector<std::string_view> words;
  for (const Choice<T>& choice : choices)
    words.push_back(choice.first);
  add_word(
      verb, names, words, [&](std::size_t i) { target = choices[i].second; }, what);
}

/// Shells offer `words` for an option or argument that takes other values, too. Called for
/// completion only. A second call adds words.
void suggest(CLI::Option* option, std::function<std::vector<std::string>()> words);
std::vector<std::string> suggestions_of(CLI::Option& option);

enum class Format { Table, Json, JsonLines, Csv, Markdown };

/// The values of --color. Auto: as the environment and the terminal say.
enum class ColourChoice { Auto, Always, Never };

/// Destination and format of a result.
struct OutputOptions {
  Format format = Format::Table;
  std::string file;       ///< Empty: standard output.
  std::string json_file;  ///< The file of --json; empty: none.
};

/// Common options of verbs that read manifests or scenarios.
struct InputOptions {
  std::vector<std::string> paths;  ///< Files, folders, or "-" for standard input.
  derive::DeriveOptions derive;
  std::optional<std::uint64_t> seed;  ///< Empty: the scenario's own, or 1.
  std::uint32_t threads = 0;          ///< 0: one per core. Does not change results.
  Severity fail_on = Severity::Error;
  bool quiet = false;  ///< Print only findings at or above `fail_on`.
  /// Whether the verb has the option `--set migration.KEY=VALUE`.
  bool takes_migration_settings = false;
  std::vector<std::string> migration_settings;  ///< "KEY=VALUE".
};

/// The kind of a verb's result, which determines its formats. All have text and JSON. Records also
/// have JSON lines, Rows CSV, and a Report, which may go into an issue or a change request, CSV and
/// Markdown.
enum class ResultShape { Document, Records, Rows, Report };

/// Adds -o, --out, --color and --no-color to a verb.
void add_output_options(CLI::App& verb, OutputOptions& options,
                        ResultShape shape = ResultShape::Document);

/// Adds --color and --no-color to a verb.
void add_colour_options(CLI::App& verb);

/// Adds --json to a verb: a file that gets the result as JSON besides the result itself, from the
/// same run (see write_json_beside).
void add_json_option(CLI::App& verb, OutputOptions& options);

/// Adds --fail-on and --quiet, with the help text `quiet_means`, to a verb.
void add_finding_options(
    CLI::App& verb, Severity& fail_on, bool& quiet,
    const char* quiet_means = "Print no findings below --fail-on on standard error");

/// Rejects two results on standard output: that of the verb and one of `files`.
void refuse_two_results(const OutputOptions& options, const std::vector<std::string>& files);

/// The error text for an integer beyond 64 bits, which CLI11 would saturate; empty otherwise.
std::string too_long(const std::string& number);

/// The error text if a path is not a folder; empty if it is.
std::string no_folder(const std::string& path);

/// Adds the PATH… arguments, --stage and --calico-version to a verb.
void add_manifest_options(CLI::App& verb, InputOptions& options);

/// Adds --seed to a verb that uses random numbers.
void add_seed_option(CLI::App& verb, InputOptions& options);

/// Adds --nodes with a range from `least` to `most`.
CLI::Option* add_nodes_option(CLI::App& verb, std::optional<std::uint32_t>& nodes,
                              std::uint32_t least, std::uint32_t most);

/// The range of durations that an option accepts.
struct TimeRange {
  Picos min;
  Picos max = seconds(3600);
  std::string_view unit;  ///< Unit of a number without one; empty: each number needs a unit.
};

/// Adds an option that takes a duration such as 500ms or 1h30m.
CLI::Option* add_time_option(CLI::App& verb, const std::string& name, Picos& time,
                             const std::string& what, const TimeRange& range = {});

/// Adds the manifest options, --threads, --fail-on and --quiet.
void add_input_options(CLI::App& verb, InputOptions& options);

/// Options of a load search that do not depend on the kind of load.
struct SearchOptions {
  load_search::GoalSet goals;
  std::optional<std::int64_t> min, max;  ///< Packets per second.
};

/// Adds --loss, --exceed, --width, --trial, --min and --max to a verb. The values in `options` are
/// the defaults. load_search::check() checks ranges of percentages.
void add_search_options(CLI::App& verb, SearchOptions& options);

/// A formatter for help texts as wide as the terminal (80 columns without one). All verbs inherit
/// it.
std::shared_ptr<CLI::FormatterBase> help_formatter();

/// The table of exit codes, as wide as help.
std::string exit_code_help();

/// Adds text to a verb before the footer that it inherits from the program.
void add_to_footer(CLI::App& verb, std::string_view text);

/// Reads all documents of all paths, which may name library files
/// (topology_library::read_manifests). An unreadable path is a finding. 0 threads: one per core.
/// `line` shows the progress.
document::Stream read_all(const std::vector<std::string>& paths, unsigned threads,
                          StepsLine* line = nullptr);

}  // namespace overlane::command
