#include "tools/overlane/cli/output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/answer/document.h"
#include "results/report/text.h"
#include "topologies/document/tree/tree.h"

namespace overlane::command {

namespace {

constexpr std::size_t kFindingIndent = 4;

constexpr int kNoDescriptor = -1;

constexpr const char* kNoColour = "NO_COLOR";           // no-color.org
constexpr const char* kForceColour = "CLICOLOR_FORCE";  // bixense.com/clicolors

/// The value of an environment variable; empty if it is not set.
std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Whether text on a file descriptor has colours: as the environment says, otherwise on a terminal
/// that has them.
report::Style style_of(int descriptor) {
  const std::string_view terminal = environment("TERM");
  const std::string_view force = environment(kForceColour);
  const bool is_forced = !force.empty() && force != "0";
  const bool has_colours = isatty(descriptor) == 1 && !terminal.empty() && terminal != "dumb" &&
                           environment("CLICOLOR") != "0";
  return environment(kNoColour).empty() && (is_forced || has_colours) ? report::Style::Colour
                                                                      : report::Style::Plain;
}

}  // namespace

bool print_aside(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stderr) == text.size();
}

void print_error(std::string_view message) {
  const std::string name = fmt::format("{}: ", program_invocation_short_name);
  constexpr std::string_view kError = "error:";
  // Programs that read the messages get one line for each.
  const std::string text = document::one_line(message);
  const std::string lines =
      isatty(STDERR_FILENO) == 1
          ? report::wrapped(name + std::string(kError) + ' ', text,
                            report::terminal_width(STDERR_FILENO), kFindingIndent)
          : fmt::format("{}{} {}\n", name, kError, text);
  print_aside(report::toned_part(lines, name.size(), kError.size(), answer::Tone::Bad,
                                 style_of(STDERR_FILENO)));
}

ExitCode end_with(ExitCode code, std::string_view message) {
  print_error(message);
  return code;
}

void print_findings(const Findings& findings, bool quiet, Severity fail_on) {
  for (const Finding& finding : findings) {
    if (!quiet || finding.severity >= fail_on)
      print_aside(
          finding_text(finding, report::terminal_width(STDERR_FILENO), style_of(STDERR_FILENO)));
  }
}

bool shares_terminal(const OutputOptions& options) {
  return options.format == Format::Table && is_standard_output(options.file) &&
         isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1;
}

report::Style output_style(const OutputOptions& options) {
  return style_of(options.file.empty() ? STDOUT_FILENO : kNoDescriptor);
}

void choose_colour(ColourChoice choice) {
  // The environment, because programs that this one starts follow it, too.
  constexpr int kOverwrite = 1;
  if (choice == ColourChoice::Auto) return;
  const bool is_forced = choice == ColourChoice::Always;
  unsetenv(is_forced ? kNoColour : kForceColour);
  setenv(is_forced ? kForceColour : kNoColour, "1", kOverwrite);
}

ExitCode print_failure(const runner::Failure& failure, bool quiet, Severity fail_on) {
  print_findings(failure.findings, quiet, fail_on);
  switch (failure.kind) {
    case runner::Failure::Kind::Usage:
      return ExitCode::Usage;
    case runner::Failure::Kind::Input:
      return ExitCode::NoInput;
    case runner::Failure::Kind::TooLarge:
    case runner::Failure::Kind::NotWritten:
      return ExitCode::RunFailed;
    case runner::Failure::Kind::Internal:
      return ExitCode::Internal;
  }
  return ExitCode::Internal;
}

std::string finding_text(const Finding& finding, std::size_t width, report::Style style) {
  const std::string line = document::one_line(finding.to_string());
  const std::string where = document::one_line(finding.place.to_string());
  const std::size_t place = where.empty() ? 0 : where.size() + 2;
  const std::size_t message = place + to_string(finding.severity).size() + 2;
  return report::toned_part(
      report::wrapped(line.substr(0, message), line.substr(message), width, kFindingIndent), place,
      message - place - 1, answer::tone_of(finding.severity), style);
}

bool is_standard_output(std::string_view file) {
  return file.empty() || file == "-";
}

namespace {

/// Opens a file for writing. Opens /dev/fd/N as the shell does, also where no /dev is mounted.
std::FILE* open_for_writing(const std::string& file) {
  constexpr std::string_view kDescriptors = "/dev/fd/";
  if (file.starts_with(kDescriptors)) {
    int descriptor = -1;
    const char* end = file.data() + file.size();
    if (std::from_chars(file.data() + kDescriptors.size(), end, descriptor).ptr == end)
      return fdopen(dup(descriptor), "wb");
  }
  return std::fopen(file.c_str(), "wb");
}

}  // namespace

ResultStream::ResultStream(std::string file)
    : name_(is_standard_output(file) ? "standard output" : std::move(file)),
      stream_(name_ == "standard output" ? stdout : open_for_writing(name_)),
      failure_(stream_ == nullptr ? errno : 0) {}

ResultStream::~ResultStream() {
  if (stream_ != nullptr && stream_ != stdout) std::fclose(stream_);
}

bool ResultStream::write(std::string_view text) {
  if (failure_ != 0) return false;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) failure_ = errno;
  return failure_ == 0;
}

void ResultStream::flush() {
  if (failure_ != 0) return;
  errno = 0;
  if (std::fflush(stream_) != 0) failure_ = errno;
}

// A full disk is often reported only when buffers are flushed.
ExitCode ResultStream::finish() {
  if (stream_ != nullptr) {
    errno = 0;
    const int flushed = stream_ == stdout ? std::fflush(stream_) : std::fclose(stream_);
    if (flushed != 0 && failure_ == 0) failure_ = errno;
    stream_ = nullptr;
  }
  if (failure_ == 0) return ExitCode::Clean;
  print_error(fmt::format("cannot write the result to {}: {}", name_, std::strerror(failure_)));
  return ExitCode::RunFailed;
}

ExitCode write_text(const std::string& file, std::string_view text) {
  ResultStream stream(file);
  stream.write(text);
  return stream.finish();
}

ExitCode write_text_beside(const OutputOptions& options, const std::vector<std::string>& files,
                           std::string_view text) {
  const bool is_taken =
      is_standard_output(options.file) && std::ranges::find(files, "-") != files.end();
  if (!is_taken) return write_text(options, text);
  print_aside(text);
  return ExitCode::Clean;
}

ExitCode write_text(const OutputOptions& options, std::string_view text) {
  return write_text(options.file, text);
}

ExitCode write_json(const std::string& file, const nlohmann::ordered_json& document) {
  // File names and manifest values may contain invalid UTF-8, which JSON does not allow.
  using ErrorHandler = nlohmann::ordered_json::error_handler_t;
  return write_text(file, document.dump(2, ' ', false, ErrorHandler::replace) + '\n');
}

ExitCode write_json(const OutputOptions& options, const nlohmann::ordered_json& document) {
  return write_json(options.file, document);
}

ExitCode write_json_beside(const OutputOptions& options,
                           const std::function<nlohmann::ordered_json()>& encode) {
  return options.json_file.empty() ? ExitCode::Clean : write_json(options.json_file, encode());
}

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 13> kWritten = {
    "--out",   "--json", "--save-profile", "--graphviz", "--trace-out", "--pcap",       "--junit",
    "--sarif", "--svg",  "--html",         "--perfetto", "--hubble",    "--openmetrics"};
constexpr std::array<std::string_view, 3> kRead = {"--table", "--profile", "--baseline"};

template <typename Names>
bool is_one_of(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Whether two names refer to the same file, which need not exist. False for devices such as
/// /dev/null, to which several outputs may be written.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  if (!fs::exists(a, none) && !fs::exists(b, none))
    return fs::weakly_canonical(a, none) == fs::weakly_canonical(b, none);
  return fs::equivalent(a, b, none) && fs::is_regular_file(a, none);
}

ExitCode usage(const std::string& message) {
  print_error(message);
  return ExitCode::Usage;
}

/// The errno that would prevent writing to `file`; 0 if there is no known obstacle.
int obstacle(const std::string& file) {
  std::error_code none;
  if (fs::is_directory(file, none)) return EISDIR;
  if (fs::exists(file, none)) return access(file.c_str(), W_OK) == 0 ? 0 : errno;
  const fs::path folder = fs::path(file).parent_path();
  return access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

}  // namespace

std::vector<OutputFile> output_files(const CLI::App& verb) {
  std::vector<OutputFile> files;
  for (const CLI::Option* option : verb.get_options())
    if (is_one_of(kWritten, option->get_name()) && !option->results().empty())
      files.push_back({option->get_name(), option->results().front()});
  std::erase_if(files, [](const OutputFile& output) { return output.file.empty(); });
  return files;
}

std::vector<std::string> input_files(const CLI::App& verb) {
  std::vector<std::string> files;
  for (const CLI::Option* option : verb.get_options()) {
    if (!option->get_positional() && !is_one_of(kRead, option->get_name())) continue;
    for (const std::string& file : option->results())
      files.push_back(file);
  }
  return files;
}

ExitCode check_outputs(const std::vector<OutputFile>& outputs,
                       const std::vector<std::string>& inputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    const bool is_stream = output->file == "-";  // An input named "-" is standard input.
    const auto is_this = [&](const std::string& file) {
      return is_stream ? file == "-" : is_same_file(output->file, file);
    };
    if (!is_stream && std::ranges::any_of(inputs, is_this))
      return usage(fmt::format("{} {} would overwrite a file that is read; write to another one",
                               output->option, output->file));
    const auto before = std::find_if(outputs.begin(), output,
                                     [&](const OutputFile& other) { return is_this(other.file); });
    if (before != output)
      return usage(fmt::format("{} and {} would write to the same file {}; give each its own",
                               before->option, output->option, output->file));
    if (const int error = is_stream ? 0 : obstacle(output->file); error != 0) {
      print_error(
          fmt::format("cannot write the result to {}: {}", output->file, std::strerror(error)));
      return ExitCode::RunFailed;
    }
  }
  return ExitCode::Clean;
}

}  // namespace overlane::command
