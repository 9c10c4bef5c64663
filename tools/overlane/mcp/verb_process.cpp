#include "tools/overlane/mcp/verb_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <new>
#include <numeric>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"

namespace overlane::mcp {
namespace {

using command::ExitCode;

/// Descriptor of the JSON document in the child, behind those of the standard streams.
constexpr int kDocument = 3;
/// The server opens fewer files.
constexpr int kMaxDescriptors = 1024;
constexpr std::size_t kReadBytes = std::size_t{64} << 10;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;  // Sanitizers reserve terabytes of addresses.
#else
constexpr bool kLimitsMemory = true;
#endif

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

struct Pipe {
  int reader = -1;
  int writer = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("pipe");
  return {ends[0], ends[1]};
}

/// A file in memory with this text, at its beginning.
int memory_file(std::string_view text) {
  const int file = ::memfd_create("manifests", MFD_CLOEXEC);
  if (file < 0) throw_errno("memfd_create");
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0) throw_errno("write");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  ::lseek(file, 0, SEEK_SET);
  return file;
}

void limit(decltype(RLIMIT_AS) what, rlim_t most) {
  const rlimit limits{most, most};
  ::setrlimit(what, &limits);
}

/// Takes rights away from the child.
void give_up_rights() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // The child does not outlive the server.
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  std::signal(SIGXFSZ, SIG_IGN);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
  const auto available = command::available_memory();
  if (kLimitsMemory && available) limit(RLIMIT_AS, static_cast<rlim_t>(available->count));
}

ExitCode run_verb(const VerbCall& call) {
  CLI::App program("", "overlane");
  command::Action chosen;
  command::add_verb(program, call.verb, chosen);
  std::vector<std::string> words = call.arguments;
  words.insert(words.begin() + 1, fmt::format("--json=/dev/fd/{}", kDocument));
  std::ranges::reverse(words);  // CLI11 expects the arguments in reverse order.
  try {
    program.parse(std::move(words));
  } catch (const CLI::RuntimeError&) {
    return ExitCode::Usage;  // An option such as --set list has printed its own text.
  } catch (const CLI::ParseError& error) {
    return command::end_with(ExitCode::Usage, error.what());
  }
  return chosen();
}

/// Runs the verb in the child.
[[noreturn]] void run_child(const VerbCall& call, int input, const std::array<Pipe, 3>& pipes) {
  // Each descriptor is above those that it replaces before it.
  ::dup2(input, STDIN_FILENO);
  ::dup2(pipes[0].writer, STDOUT_FILENO);
  ::dup2(pipes[1].writer, STDERR_FILENO);
  ::dup2(pipes[2].writer, kDocument);
  for (int descriptor = kDocument + 1; descriptor < kMaxDescriptors; ++descriptor)
    ::close(descriptor);
  give_up_rights();
  ExitCode code = ExitCode::Internal;
  try {
    code = run_verb(call);
  } catch (const std::bad_alloc&) {
    code = command::end_with(ExitCode::RunFailed, "there is not enough memory for this call");
  } catch (const std::exception& error) {
    command::print_error(std::string("internal error: ") + error.what());
  }
  std::fflush(nullptr);
  ::_exit(static_cast<int>(code));
}

}  // namespace

VerbProcess::VerbProcess(const VerbCall& call) {
  const std::array<Pipe, kPipes> pipes = {make_pipe(), make_pipe(), make_pipe()};
  const int input = memory_file(call.input);
  child_ = ::fork();
  if (child_ == 0) run_child(call, input, pipes);
  const int error = errno;
  ::close(input);
  for (std::size_t i = 0; i < kPipes; ++i) {
    ::close(pipes[i].writer);
    pipes_[i] = pipes[i].reader;
  }
  if (child_ > 0) return;
  for (const int pipe : pipes_)
    ::close(pipe);
  errno = error;
  throw_errno("fork");
}

VerbProcess::~VerbProcess() {
  for (const int pipe : pipes_)
    if (pipe >= 0) ::close(pipe);
  if (child_ < 0) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

void VerbProcess::read_from(std::size_t pipe) {
  std::string& text = texts_[pipe];
  const std::size_t before = text.size();
  text.resize(before + kReadBytes);
  const ssize_t count = ::read(pipes_[pipe], text.data() + before, kReadBytes);
  text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count > 0 || (count < 0 && errno == EINTR)) return;
  ::close(std::exchange(pipes_[pipe], -1));
}

bool VerbProcess::is_done() const {
  return std::ranges::all_of(pipes_, [](int pipe) { return pipe < 0; });
}

std::size_t VerbProcess::bytes() const {
  return std::transform_reduce(texts_.begin(), texts_.end(), std::size_t{0}, std::plus<>(),
                               [](const std::string& text) { return text.size(); });
}

VerbOutput VerbProcess::finish() {
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return {.text = std::move(texts_[0]),
          .messages = std::move(texts_[1]),
          .document = std::move(texts_[2]),
          .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

}  // namespace overlane::mcp
