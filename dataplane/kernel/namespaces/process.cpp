#include "dataplane/kernel/namespaces/process.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "dataplane/kernel/namespaces/memory_file.h"
#include "dataplane/kernel/namespaces/network_namespace.h"

namespace overlane::kernel {
namespace {

/// What execvp could not find (POSIX shells use it too).
constexpr int kNotFound = 127;

/// In the child, between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(char* const* arguments, int input, int output,
                         const std::vector<int>& inherited) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  for (const int fd : inherited)
    fcntl(fd, F_SETFD, 0);
  execvp(arguments[0], arguments);
  _exit(kNotFound);
}

int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Parsed<Exit> run_program(const std::vector<std::string>& arguments, const std::string& input,
                         const std::vector<int>& inherited) {
  const auto in = MemoryFile::make(input);
  if (!in) return fail(in.error());
  const auto out = MemoryFile::make();
  if (!out) return fail(out.error());
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers;
  for (std::string& argument : copies)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  const pid_t child = fork();
  if (child < 0) return fail(system_error("fork"));
  if (child == 0) become(pointers.data(), in->fd(), out->fd(), inherited);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return fail(system_error("waitpid"));
  }
  Exit exit{exit_code(status), out->text()};
  if (exit.code == kNotFound && exit.output.empty()) {
    return fail(arguments[0] + " is not installed");
  }
  return exit;
}

}  // namespace overlane::kernel
