#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/runner/load/failure.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::runner {

/// A Scenario as written.
struct GivenScenario {
  std::string text;
  document::Tree tree;
};

/// The content of a single path; both empty if there are several paths or the path is not a file.
/// Read only once, since a pipe cannot be read again.
struct Located {
  std::optional<GivenScenario> scenario;
  std::optional<document::Stream> manifests;
};

Outcome<Located> read_given(const std::vector<std::string>& paths);

/// All documents of the manifests that a file names, relative to it.
Outcome<document::Stream> read_named_manifests(const std::string& file,
                                               const std::vector<std::string>& names);

/// All documents of paths that contain no Scenario.
Outcome<document::Stream> read_manifests(const std::vector<std::string>& paths);

}  // namespace overlane::runner
