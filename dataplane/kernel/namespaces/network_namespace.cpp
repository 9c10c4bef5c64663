#include "dataplane/kernel/namespaces/network_namespace.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sched.h>

namespace overlane::kernel {
namespace {

OwnedFd open_own() {
  return OwnedFd(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
}

/// A thread that cannot return would go on in the wrong network.
void enter_or_die(const OwnedFd& target) {
  if (setns(target.get(), CLONE_NEWNET) != 0) std::terminate();
}

}  // namespace

Parsed<NetworkNamespace> NetworkNamespace::make() {
  const OwnedFd before = open_own();
  if (!before.is_open()) return fail(system_error("/proc/thread-self/ns/net"));
  if (unshare(CLONE_NEWNET) != 0) {
    if (errno == EPERM) return fail("making a network namespace needs root (CAP_SYS_ADMIN)");
    return fail(system_error("unshare"));
  }
  OwnedFd made = open_own();
  enter_or_die(before);
  if (!made.is_open()) return fail(system_error("/proc/thread-self/ns/net"));
  return NetworkNamespace(std::move(made));
}

Parsed<NetworkNamespace> NetworkNamespace::of_this_thread() {
  OwnedFd own = open_own();
  if (!own.is_open()) return fail(system_error("/proc/thread-self/ns/net"));
  return NetworkNamespace(std::move(own));
}

Inside::Inside(const NetworkNamespace& target) : before_(open_own()) {
  if (!before_.is_open() || setns(target.fd(), CLONE_NEWNET) != 0) std::terminate();
}

Inside::~Inside() {
  enter_or_die(before_);
}

std::string system_error(const std::string& what) {
  return what + ": " + std::strerror(errno);
}

}  // namespace overlane::kernel
