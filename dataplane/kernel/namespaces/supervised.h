#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::kernel {

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
