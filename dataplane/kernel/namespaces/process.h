#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::kernel {

// Child processes, owned file descriptors, files in memory, and temporary folders. Supervised
// programs end with this process, for whatever reason it ends.

/// Owns one file descriptor, or none (-1).
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

/// An unnamed file in memory (memfd_create(2)) for a program's input or output. Unlike a pipe, it
/// cannot fill up.
class MemoryFile {
 public:
  static Parsed<MemoryFile> make(const std::string& text = "");

  /// The whole content, independent of the position of the descriptor.
  std::string text() const;
  int fd() const { return fd_.get(); }

 private:
  explicit MemoryFile(OwnedFd fd) : fd_(std::move(fd)) {}

  OwnedFd fd_;
};

/// How a program ended.
struct Exit {
  int code = 0;        ///< Exit code; 128 + signal if a signal ended the program, as in a shell.
  std::string output;  ///< Standard output and standard error.
};

/// Runs a program with `input` as its standard input in the calling thread's network namespace, and
/// waits for its end. The program is killed if the calling thread ends. `inherited` descriptors
/// stay open in the program under the same numbers. Fails if the program cannot be started.
Parsed<Exit> run_program(const std::vector<std::string>& arguments, const std::string& input,
                         const std::vector<int>& inherited = {});

/// A temporary folder. The destructor removes it with its content.
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

/// Runs a program in its own process group, without input, until it ends or `limit` is over, and
/// returns the printed text. When the function returns, no process of the group is left.
///
/// A guard process watches this process and the program: if this process ends early, by SIGKILL or
/// Ctrl-C, the guard kills the group and removes `folder`.
Parsed<std::string> run_supervised(const std::vector<std::string>& arguments,
                                   const std::filesystem::path& folder, std::chrono::seconds limit);

}  // namespace overlane::kernel
