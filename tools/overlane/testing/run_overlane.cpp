#include "tools/overlane/testing/run_overlane.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"

namespace overlane::command {
namespace {

/// A folder for temporary files, deleted on exit.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(fmt::format("{}overlane_{}", ::testing::TempDir(), getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string temporary(const std::string& name) {
  static const TemporaryFolder folder;
  return folder.file(name);
}

}  // namespace

Answer run_overlane(const std::string& arguments, const std::string& before) {
  const std::string err = temporary("standard_error");
  const std::string command = fmt::format("cd {} && {} {} {} 2>{}", source_file(""), before,
                                          OVERLANE_BINARY, arguments, err);
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    out += static_cast<char>(c);
  const int status = pclose(pipe);
  Answer answer{WIFEXITED(status) ? WEXITSTATUS(status) : -1, out, read_text(err)};
  std::remove(err.c_str());
  return answer;
}

std::string unwrapped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n';
    if (!is_space)
      result += c;
    else if (!result.ends_with(' '))
      result += ' ';
  }
  return result;
}

std::string read_text(const std::string& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string write_temporary(const std::string& name, std::string_view text) {
  const std::string file = temporary(name);
  std::ofstream(file) << text;
  return file;
}

}  // namespace overlane::command
