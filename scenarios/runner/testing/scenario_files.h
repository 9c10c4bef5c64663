#pragma once

#include <filesystem>
#include <string>

#include "scenarios/runner/runner.h"

namespace overlane::runner::testing {

/// A folder of a test's own, gone when it ends.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

/// The path of a manifest of the library.
std::string manifest(const std::string& name);
/// A Scenario `s` of such a manifest, as far as that; more of its spec may follow.
std::string scenario_of(const std::string& manifest_name);

/// The report; throws what the run was refused for.
model::RunReport run_or_fail(const Request& asked);

}  // namespace overlane::runner::testing
