#pragma once

#include <string>

#include "dataplane/kernel/namespaces/owned_fd.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

/// A network namespace of its own, without a name: nothing but this descriptor (and the sockets and
/// processes inside) holds it, so that the kernel takes it away with all its devices when the
/// process ends, however it ends.
class NetworkNamespace {
 public:
  /// Needs CAP_SYS_ADMIN; the message says so where it is missing.
  static Parsed<NetworkNamespace> make();
  /// The one that the calling thread is in.
  static Parsed<NetworkNamespace> of_this_thread();

  int fd() const { return fd_.get(); }

 private:
  explicit NetworkNamespace(OwnedFd fd) : fd_(std::move(fd)) {}

  OwnedFd fd_;
};

/// Moves the calling thread into a namespace for as long as it lives. What the thread opens
/// meanwhile (sockets, /proc/sys/net, /proc/thread-self/net) belongs to that namespace.
class Inside {
 public:
  explicit Inside(const NetworkNamespace& target);
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside();

 private:
  OwnedFd before_;
};

/// "what: Permission denied", from errno.
std::string system_error(const std::string& what);

}  // namespace overlane::kernel
