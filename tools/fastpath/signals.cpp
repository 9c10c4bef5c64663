#include "tools/fastpath/signals.h"

#include <cerrno>
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utility>

namespace overlane::fastpath {

Parsed<Signals> Signals::take() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1})
    sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // Forwarding continues if the reader of the reports exits.
  std::signal(SIGPIPE, SIG_IGN);
  const int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  if (fd < 0) return fail(std::string("no descriptor for signals"));
  return Signals(fd);
}

Signals::Signals(Signals&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Signals::~Signals() {
  if (fd_ >= 0) close(fd_);
}

void Signals::give_back() const {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

std::optional<Signals::Asked> Signals::next() const {
  signalfd_siginfo info{};
  if (read(fd_, &info, sizeof info) != sizeof info) return std::nullopt;
  switch (info.ssi_signo) {
    case SIGHUP:
      return Asked::Reload;
    case SIGUSR1:
      return Asked::Report;
    default:
      return Asked::Stop;
  }
}

}  // namespace overlane::fastpath
