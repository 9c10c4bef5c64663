#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::kernel {

// Child processes and what they need: owned descriptors, files in memory, temporary folders.
// Supervised programs die with this process, however it ends.

/// Owns one file descriptor; -1 is none.
class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OwnedFd() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

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

/// How a program ended.
struct Exit {
  int code = 0;        ///< 128 + signal when a signal ended it, as in a shell.
  std::string output;  ///< Standard output and standard error.
};

/// Runs a program with `input` as its standard input, in the calling thread's network namespace,
/// and waits for it. It dies with the calling thread. `inherited` descriptors stay open in it under
/// their numbers. Fails when the program cannot be started.
Parsed<Exit> run_program(const std::vector<std::string>& arguments, const std::string& input,
                         const std::vector<int>& inherited = {});

/// A temporary folder, removed with everything in it.
class TemporaryFolder {
 public:
  static Parsed<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

/// Runs a program in a process group of its own, with nothing to read, until it ends or `limit` is
/// over, and returns what it printed. No process of the group is left then.
///
/// A guard process watches over both: when this process ends early, by SIGKILL or Ctrl-C, the guard
/// kills the group and removes `folder`.
Parsed<std::string> run_supervised(const std::vector<std::string>& arguments,
                                   const std::filesystem::path& folder, std::chrono::seconds limit);

}  // namespace overlane::kernel
