#include "tools/fastpath/testing/program.h"

#include <csignal>
#include <fstream>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/testing/source_file.h"

namespace overlane::fastpath {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The complete lines of a file.
std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line) && !stream.eof();)
    lines.push_back(line);
  return lines;
}

}  // namespace

bool comes_true(const std::function<bool()>& holds, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

Parsed<Program> Program::start(const kernel::NetworkNamespace& place, const std::string& arguments,
                               const std::filesystem::path& folder) {
  const auto command = fmt::format("'{}' forward {} -o jsonl", OVERLANE_BINARY, arguments);
  return start_command(place, command, folder);
}

Parsed<Program> Program::start_command(const kernel::NetworkNamespace& place,
                                       const std::string& command,
                                       const std::filesystem::path& folder) {
  const std::string script =
      fmt::format("cd '{}' && exec {} >'{}' 2>'{}'", source_file(""), command,
                  (folder / "out").string(), (folder / "err").string());
  std::ofstream(folder / "command") << script << '\n';
  // Remove the output of an earlier program.
  for (const char* name : {"out", "err"})
    std::filesystem::remove(folder / name);
  const kernel::Inside inside(place);
  const pid_t process = fork();
  if (process < 0) return fail(kernel::system_error("fork"));
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    _exit(127);
  }
  return Program(process, folder);
}

Program::Program(Program&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      folder_(std::move(other.folder_)),
      exit_code_(other.exit_code_) {}

Program::~Program() {
  if (process_ < 0 || exit_code_) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

bool Program::says(const std::string& text) {
  comes_true([&] { return told().find(text) != std::string::npos || !is_running(); });
  return told().find(text) != std::string::npos;
}

std::string Program::told() const {
  return text_of(folder_ / "err");
}

nlohmann::json Program::report() const {
  const auto lines = lines_of(folder_ / "out");
  return lines.empty() ? nlohmann::json() : nlohmann::json::parse(lines.back());
}

nlohmann::json Program::ask_report() {
  const std::size_t before = lines_of(folder_ / "out").size();
  signal(SIGUSR1);
  comes_true([&] { return lines_of(folder_ / "out").size() > before || !is_running(); });
  return report();
}

void Program::signal(int signal) const {
  if (!exit_code_) kill(process_, signal);
}

bool Program::is_running() {
  int status = 0;
  if (!exit_code_ && waitpid(process_, &status, WNOHANG) == process_) {
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return !exit_code_;
}

std::optional<int> Program::end() {
  comes_true([&] { return !is_running(); });
  return exit_code_;
}

std::optional<int> Program::stop() {
  signal(SIGINT);
  return end();
}

std::uint64_t Program::resident_bytes() const {
  std::ifstream file(fmt::format("/proc/{}/status", process_));
  for (std::string word; file >> word;) {
    std::uint64_t kib = 0;
    if (word == "VmRSS:" && file >> kib) return kib * 1024;
  }
  return 0;
}

}  // namespace overlane::fastpath
