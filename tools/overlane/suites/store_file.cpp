#include "tools/overlane/suites/store_file.h"

#include <cstdlib>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/overlane/cli/output.h"

namespace overlane::command {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::filesystem::path usual_store() {
  if (const std::string state = variable("XDG_STATE_HOME"); state.starts_with('/'))
    return std::filesystem::path(state) / "overlane/results.sqlite";
  return std::filesystem::path(variable("HOME")) / ".local/state/overlane/results.sqlite";
}

/// Anything else with a scheme is a database that this program does not speak to.
std::string unknown_scheme(const std::string& file) {
  const std::size_t end = file.find("://");
  return end == std::string::npos || file.starts_with("file:")
             ? ""
             : fmt::format("\"{}\" is no store: only files of SQLite are, by path or file: URI",
                           file);
}

}  // namespace

void add_store_option(CLI::App& verb, std::string& file) {
  verb.add_option("--store", file,
                  "The SQLite file with the results (default: $OVERLANE_STORE, or "
                  "~/.local/state/overlane/results.sqlite)")
      ->type_name("FILE")
      ->check(CLI::Validator(unknown_scheme, ""));
}

std::string store_file(const std::string& given) {
  if (!given.empty()) return given;
  const std::string from_environment = variable("OVERLANE_STORE");
  return from_environment.empty() ? usual_store().string() : from_environment;
}

Result<store::Store, ExitCode> open_store(const std::string& file, store::Store::Use use) {
  const std::string name = store_file(file);
  const std::filesystem::path usual = usual_store();
  std::error_code ignored;  // Opening says what is wrong.
  if (use == store::Store::Use::Write && name == usual.string())
    std::filesystem::create_directories(usual.parent_path(), ignored);
  auto opened = store::Store::open(name, use);
  if (opened) return *std::move(opened);
  return fail(end_with(ExitCode::NoInput, opened.error()));
}

}  // namespace overlane::command
