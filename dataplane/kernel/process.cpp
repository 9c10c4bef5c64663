#include "dataplane/kernel/process.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "dataplane/kernel/network_namespace.h"
#include "dataplane/kernel/owned_fd.h"

namespace overlane::kernel {
namespace {

/// What execvp could not find (POSIX shells use it too).
constexpr int kNotFound = 127;

bool write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = write(fd, text.data() + done, text.size() - done);
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return lseek(fd, 0, SEEK_SET) == 0;
}

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  lseek(fd, 0, SEEK_SET);
  for (ssize_t count = 0; (count = read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  return text;
}

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
  const OwnedFd in(memfd_create("input", MFD_CLOEXEC));
  const OwnedFd out(memfd_create("output", MFD_CLOEXEC));
  if (!in.is_open() || !out.is_open() || !write_all(in.get(), input)) {
    return fail(system_error("memfd"));
  }
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers;
  for (std::string& argument : copies)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  const pid_t child = fork();
  if (child < 0) return fail(system_error("fork"));
  if (child == 0) become(pointers.data(), in.get(), out.get(), inherited);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return fail(system_error("waitpid"));
  }
  Exit exit{exit_code(status), read_all(out.get())};
  if (exit.code == kNotFound && exit.output.empty()) {
    return fail(arguments[0] + " is not installed");
  }
  return exit;
}

}  // namespace overlane::kernel
