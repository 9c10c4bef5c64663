#pragma once

#include <utility>

#include "results/finding/finding.h"

namespace overlane::runner {

/// Why a scenario could not be run; the command line maps each kind to its exit code.
struct Failure {
  enum class Kind {
    Usage,       ///< The command line does not match the input.
    Input,       ///< No usable input, or an impossible topology.
    TooLarge,    ///< Needs more memory than allowed.
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

}  // namespace overlane::runner
