#pragma once

#include <filesystem>
#include <string>

#include "scenarios/runner/runner.h"

namespace overlane::runner::testing {

/// A temporary folder of a test; the destructor removes it.
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

/// Returns the path of a manifest of the library.
std::string manifest(const std::string& name);
/// Returns the start of a Scenario `s` with the given manifest. The test appends the rest of its
/// spec.
std::string scenario_of(const std::string& manifest_name);

/// Returns the start of a Scenario on machines with 4 cores and 10 Gbit/s without burst credits,
/// independently of the manifest's machine type. Writes a Topology into `folder`; the scenario must
/// be in the same folder.
std::string scenario_on_ten_gigabit(const Folder& folder, const std::string& manifest_name);

/// Runs the request and returns the report. Throws on failure.
model::RunReport run_or_fail(const Request& asked);

}  // namespace overlane::runner::testing
