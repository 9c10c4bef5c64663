#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/finding/finding.h"
#include "results/report/column_table.h"
#include "scenarios/runner/load/given_files.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/verbs.h"

namespace CLI {
class App;
}

namespace overlane::command {

// Output of verbs: the result goes to standard output or to a file; messages, findings and progress
// go to standard error. A failed write of a result is an error with ExitCode::RunFailed.

/// Writes to standard error, unbuffered and completely. Returns false on failure, which most
/// callers ignore because the result matters more than messages.
bool print_aside(std::string_view text);

/// Prints "overlane: error: …" on standard error, with the name of the running program.
void print_error(std::string_view message);
/// Prints an error and returns `code`.
ExitCode end_with(ExitCode code, std::string_view message);

/// Prints one line per finding on standard error, in the order given; if `quiet`, only those that
/// determine the exit code.
void print_findings(const Findings& findings, bool quiet, Severity fail_on = Severity::Error);

/// Whether standard error and the textual result go to the same terminal. The result contains the
/// findings, so printing them on standard error would show each twice.
bool shares_terminal(const OutputOptions& options);

/// Prints why a scenario could not be run and returns the exit code.
ExitCode print_failure(const runner::Failure& failure, bool quiet,
                       Severity fail_on = Severity::Error);

/// "file:line:column: error: " and the message, wrapped to `width` columns. Location and severity
/// are not broken, so that programs can parse them.
std::string finding_text(const Finding& finding, std::size_t width, report::Style style);

/// The style of a result: colour on a terminal, unless TERM is "dumb" or CLICOLOR is "0".
/// CLICOLOR_FORCE demands colour everywhere and NO_COLOR forbids it. The same holds for messages on
/// standard error.
report::Style output_style(const OutputOptions& options);

/// Applies --color to this program and to those that it starts. Call it before the first output and
/// before the first thread.
void choose_colour(ColourChoice choice);

/// Whether results for this file go to standard output: it is empty or "-".
bool is_standard_output(std::string_view file);

/// A result that is written incrementally to a file or to standard output.
class ResultStream {
 public:
  explicit ResultStream(std::string file);
  ResultStream(const ResultStream&) = delete;
  ResultStream& operator=(const ResultStream&) = delete;
  ~ResultStream();

  /// Returns false after a write error; the caller should then stop.
  bool write(std::string_view text);
  /// Flushes, so that concurrent readers see the text.
  void flush();
  /// Closes the output. On an error, prints it and returns ExitCode::RunFailed. Do not call write()
  /// after it.
  ExitCode finish();

 private:
  std::string name_;
  std::FILE* stream_;
  int failure_ = 0;  ///< The errno of the first error.
};

/// Writes to a file or to standard output. On an error, prints it and returns ExitCode::RunFailed.
ExitCode write_text(const std::string& file, std::string_view text);
ExitCode write_json(const std::string& file, const nlohmann::ordered_json& document);

/// Writes a result to the destination of the options.
ExitCode write_text(const OutputOptions& options, std::string_view text);
/// Writes `text` like write_text(), but to standard error if one of the other `files` is standard
/// output.
ExitCode write_text_beside(const OutputOptions& options, const std::vector<std::string>& files,
                           std::string_view text);
ExitCode write_json(const OutputOptions& options, const nlohmann::ordered_json& document);

/// Writes what `encode` returns to the file of --json. Does nothing without the option.
ExitCode write_json_beside(const OutputOptions& options,
                           const std::function<nlohmann::ordered_json()>& encode);

/// An option and the file that it names.
struct OutputFile {
  std::string option;
  std::string file;
};

/// The output and input files of the verb in the parsed command line.
std::vector<OutputFile> output_files(const CLI::App& verb);
std::vector<std::string> input_files(const CLI::App& verb);

/// Checks the outputs before any work. Prints an error on standard error if an output is also an
/// input, is given twice or is not writable.
ExitCode check_outputs(const std::vector<OutputFile>& outputs,
                       const std::vector<std::string>& inputs);

}  // namespace overlane::command
