#pragma once

#include <string>

#include "dataplane/kernel/namespaces/owned_fd.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

/// A file without a name, in memory (memfd_create(2)): what a program reads or prints, without a
/// pipe that could fill up.
class MemoryFile {
 public:
  static Parsed<MemoryFile> make(const std::string& text = "");

  /// All of it, whatever was read or written through the descriptor meanwhile.
  std::string text() const;
  int fd() const { return fd_.get(); }

 private:
  explicit MemoryFile(OwnedFd fd) : fd_(std::move(fd)) {}

  OwnedFd fd_;
};

}  // namespace overlane::kernel
