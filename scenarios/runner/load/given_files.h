#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::runner {

// Reads the files that a request names: one Scenario, or manifests. Failure is the error type of
// the whole runner.

/// The reason why a scenario did not run. The command line maps each kind to an exit code.
struct Failure {
  enum class Kind {
    Usage,       ///< The command line does not match the input.
    Input,       ///< No usable input, or an impossible topology.
    TooLarge,    ///< The run needs more memory than allowed.
    NotWritten,  ///< An output file cannot be created or written.
    Internal,    ///< An internal error.
  };
  Kind kind = Kind::Input;
  Findings findings;  ///< At least one error.
};

inline tl::unexpected<Failure> unusable(Findings findings) {
  return fail(Failure{Failure::Kind::Input, std::move(findings)});
}
inline tl::unexpected<Failure> unusable(Finding finding) {
  return unusable(Findings{std::move(finding)});
}

template <typename T>
using Outcome = Result<T, Failure>;

/// A Scenario as written.
struct GivenScenario {
  std::string text;
  document::Tree tree;
};

/// The content of a single path, or of the library's Scenario, NetworkProvider or Shoot of that
/// name if no such path exists. Both members are empty if there are several paths or the path is
/// not a file. The path is read only once, because a pipe cannot be read again.
struct Located {
  std::optional<GivenScenario> scenario;
  std::optional<document::Stream> manifests;
};

Outcome<Located> read_given(const std::vector<std::string>& paths);

/// Reads all documents of the manifests that `file` names. The names are relative to the file.
Outcome<document::Stream> read_named_manifests(const std::string& file,
                                               const std::vector<std::string>& names);

/// Reads all documents of `paths`, which must contain no Scenario.
Outcome<document::Stream> read_manifests(const std::vector<std::string>& paths);

}  // namespace overlane::runner
