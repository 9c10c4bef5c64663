#include "tools/overlane/cli/output_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/overlane/cli/output.h"

namespace overlane::command {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 8> kWritten = {"--out",       "--save-profile", "--graphviz",
                                                      "--trace-out", "--pcap",         "--junit",
                                                      "--sarif",     "--svg"};
constexpr std::array<std::string_view, 3> kRead = {"--table", "--profile", "--baseline"};

template <typename Names>
bool is_one_of(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// False for devices such as /dev/null, to which several outputs may be written.
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

/// The errno that would prevent writing to `file`; 0 if none is known yet.
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
    const bool is_stream = output->file == "-";  // As an input, "-" is standard input.
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
