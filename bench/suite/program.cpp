#include "bench/suite/program.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "dataplane/kernel/namespaces/process.h"

namespace overlane::suite {
namespace {

using Clock = std::chrono::steady_clock;

/// The environment of all programs. It is fixed because another one moves their stacks, which
/// changes their times.
std::vector<std::string> fixed_environment() {
  std::vector<std::string> variables{"LANG=C", "TZ=UTC"};
  for (const char* kept : {"PATH", "HOME"})
    if (const char* value = std::getenv(kept))
      variables.push_back(fmt::format("{}={}", kept, value));
  return variables;
}

/// The arguments of execve(2), made before the fork: the child of a process with threads must not
/// allocate.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (std::string& text : texts_)
      pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  char** get() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

/// Runs in the child: executes the program, or writes errno to `failure`.
[[noreturn]] void become(Arguments& words, Arguments& environment, const char* folder, int output,
                         int errors, int failure, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const bool ready = getppid() == parent && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
                     dup2(output, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0 &&
                     (*folder == 0 || chdir(folder) == 0);
  if (ready) execvpe(words.get()[0], words.get(), environment.get());
  const int reason = errno;
  static_cast<void>(!write(failure, &reason, sizeof reason));
  _exit(127);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// Waits until the process ends, or must be killed.
ProgramEnd wait_for(int process, const Command& command, const std::atomic<bool>& stop,
                    Clock::time_point start) {
  constexpr std::chrono::milliseconds kLook{50};
  for (;;) {
    pollfd ended{.fd = process, .events = POLLIN, .revents = 0};
    if (poll(&ended, 1, static_cast<int>(kLook.count())) > 0) return ProgramEnd::Exited;
    if (stop) return ProgramEnd::Stopped;
    if (Clock::now() - start > command.timeout) return ProgramEnd::TimedOut;
  }
}

std::string_view last_line(std::string_view text) {
  while (text.ends_with('\n'))
    text.remove_suffix(1);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

std::string ProgramRun::problem() const {
  std::string what;
  switch (end) {
    case ProgramEnd::Exited:
      what = fmt::format("exit code {}", code);
      break;
    case ProgramEnd::Signalled:
      what = fmt::format("killed by signal {} ({})", code, strsignal(code));
      break;
    case ProgramEnd::TimedOut:
      what = fmt::format("not over after {:.0f} s", wall_seconds);
      break;
    case ProgramEnd::Stopped:
      what = "stopped";
      break;
  }
  const std::string_view line = last_line(errors);
  return line.empty() ? what : fmt::format("{}: {}", what, line);
}

Parsed<ProgramRun> run_program(const Command& command, const std::atomic<bool>& stop) {
  const auto output = kernel::MemoryFile::make(), errors = kernel::MemoryFile::make();
  if (!output || !errors) return fail(output ? errors.error() : output.error());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail(std::string("no pipe: ") + std::strerror(errno));
  const kernel::OwnedFd failure(ends[0]);
  Arguments words(command.words), environment(fixed_environment());
  const auto start = Clock::now();
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0)
    become(words, environment, command.folder.c_str(), output->fd(), errors->fd(), ends[1], parent);
  close(ends[1]);
  if (child < 0) return fail(std::string("no process: ") + std::strerror(errno));
  setpgid(child, child);  // The child makes the same call, because either process may run first.

  ProgramRun run;
  int reason = 0;
  const bool failed = read(failure.get(), &reason, sizeof reason) == sizeof reason;
  if (!failed) {
    const kernel::OwnedFd process(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
    run.end = wait_for(process.get(), command, stop, start);
  }
  kill(-child, SIGKILL);  // Before the group number can be reused.
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  run.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (failed) return fail(fmt::format("{}: {}", command.words[0], std::strerror(reason)));

  if (run.end == ProgramEnd::Exited) {
    run.end = WIFSIGNALED(status) ? ProgramEnd::Signalled : ProgramEnd::Exited;
    run.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }
  run.output = output->text();
  run.errors = errors->text();
  run.user_seconds = seconds_of(used.ru_utime);
  run.system_seconds = seconds_of(used.ru_stime);
  run.peak_rss_bytes = std::int64_t{used.ru_maxrss} * 1024;
  return run;
}

}  // namespace overlane::suite
