#include "tools/overlane/output.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace overlane::command {
namespace {

/// 0, or the errno of the step that failed. A full disk often shows only when buffers are flushed.
int write_all(std::FILE* file, std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) return errno;
  return std::fflush(file) == 0 ? 0 : errno;
}

int write_file(const std::string& name, std::string_view text) {
  std::FILE* file = std::fopen(name.c_str(), "wb");
  if (file == nullptr) return errno;
  const int written = write_all(file, text);
  const int closed = std::fclose(file) == 0 ? 0 : errno;
  return written != 0 ? written : closed;
}

}  // namespace

void print_error(std::string_view message) {
  fmt::print(stderr, "overlane: error: {}\n", message);
}

void print_findings(const Findings& findings, bool quiet) {
  for (const Finding& finding : findings) {
    if (!quiet || finding.severity == Severity::Error)
      fmt::print(stderr, "{}\n", finding.to_string());
  }
}

report::Style output_style(const OutputOptions& options) {
  const char* no_color = std::getenv("NO_COLOR");
  const bool forbidden = options.no_color || (no_color != nullptr && *no_color != '\0');
  const bool terminal = options.file.empty() && isatty(STDOUT_FILENO) == 1;
  return terminal && !forbidden ? report::Style::Colour : report::Style::Plain;
}

ExitCode write_text(const std::string& file, std::string_view text) {
  const int failure = file.empty() ? write_all(stdout, text) : write_file(file, text);
  if (failure == 0) return ExitCode::Clean;
  print_error(fmt::format("cannot write the result to {}: {}",
                          file.empty() ? "standard output" : file, std::strerror(failure)));
  return ExitCode::RunFailed;
}

ExitCode write_text(const OutputOptions& options, std::string_view text) {
  return write_text(options.file, text);
}

ExitCode write_json(const OutputOptions& options, const nlohmann::ordered_json& document) {
  // File names and manifest values may hold bytes that are no UTF-8; JSON may not.
  using ErrorHandler = nlohmann::ordered_json::error_handler_t;
  return write_text(options, document.dump(2, ' ', false, ErrorHandler::replace) + '\n');
}

}  // namespace overlane::command
