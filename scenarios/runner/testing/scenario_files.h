#pragma once

#include <filesystem>
#include <string>

#include "scenarios/runner/runner.h"

namespace overlane::runner::testing {

/// A temporary folder of a test.
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
/// The start of a Scenario `s` with the given manifest; append the rest of its spec.
std::string scenario_of(const std::string& manifest_name);

/// The start of a Scenario on machines of 4 cores and 10 Gbit/s without burst credits, whatever the
/// manifest's machine type is. Writes a Topology into `folder`, where the scenario has to be, too.
std::string scenario_on_ten_gigabit(const Folder& folder, const std::string& manifest_name);

/// Runs and returns the report; throws on failure.
model::RunReport run_or_fail(const Request& asked);

}  // namespace overlane::runner::testing
