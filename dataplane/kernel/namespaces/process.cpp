#include "dataplane/kernel/namespaces/process.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "dataplane/kernel/namespaces/network_namespace.h"

namespace overlane::kernel {

Parsed<MemoryFile> MemoryFile::make(const std::string& text) {
  OwnedFd fd(memfd_create("overlane", MFD_CLOEXEC));
  if (!fd.is_open()) return fail(system_error("memfd_create"));
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(fd.get(), text.data() + done, text.size() - done);
    if (count <= 0) return fail(system_error("memory file"));
    done += static_cast<std::size_t>(count);
  }
  lseek(fd.get(), 0, SEEK_SET);
  return MemoryFile(std::move(fd));
}

std::string MemoryFile::text() const {
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0;
       (count = pread(fd(), buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  return text;
}

namespace {

/// Exit code if execvp does not find the program, as in POSIX shells.
constexpr int kNotFound = 127;

/// Runs in the child between fork and exec: only async-signal-safe calls are allowed.
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

/// Exit codes of the guard.
enum GuardCode : int { kEnded = 0, kTimeOver = 1, kNotStarted = 2 };

[[noreturn]] void become(char* const* arguments, int output) {
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvp(arguments[0], arguments);
  _exit(127);
}

void end_group(pid_t leader) {
  kill(-leader, SIGKILL);
  kill(leader, SIGKILL);
  while (waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
  }
}

/// The main function of the guard. `parent` becomes readable when the parent has ended.
[[noreturn]] void guard(char* const* arguments, int output, int parent,
                        const std::filesystem::path& folder, std::chrono::seconds limit) {
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // Also waits for the descendants of the program.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, SIG_IGN);
  const pid_t program = fork();
  if (program == 0) become(arguments, output);
  if (program < 0) _exit(kNotStarted);
  setpgid(program, program);
  const int ended = static_cast<int>(syscall(SYS_pidfd_open, program, 0));
  pollfd events[] = {{ended, POLLIN, 0}, {parent, POLLIN, 0}};
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
  const int ready = poll(events, 2, static_cast<int>(time));
  end_group(program);
  if (events[1].revents != 0) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  _exit(ready == 0 ? kTimeOver : kEnded);
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

Parsed<TemporaryFolder> TemporaryFolder::make() {
  std::string name = (std::filesystem::temp_directory_path() / "overlane-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return fail(system_error(name));
  return TemporaryFolder(name);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Parsed<std::string> run_supervised(const std::vector<std::string>& arguments,
                                   const std::filesystem::path& folder,
                                   std::chrono::seconds limit) {
  const auto output = MemoryFile::make();
  if (!output) return fail(output.error());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail(system_error("pipe"));
  const OwnedFd parent(ends[0]);
  OwnedFd alive(ends[1]);
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers;
  for (std::string& argument : copies)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  const pid_t child = fork();
  if (child < 0) return fail(system_error("fork"));
  if (child == 0) {
    close(alive.get());
    guard(pointers.data(), output->fd(), parent.get(), folder, limit);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return fail(system_error("waitpid"));
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : int{kNotStarted};
  if (code == kTimeOver) return fail(arguments[0] + " did not end in time");
  if (code != kEnded) return fail(arguments[0] + " could not be run");
  return output->text();
}

}  // namespace overlane::kernel
