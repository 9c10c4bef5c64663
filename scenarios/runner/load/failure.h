#pragma once

#include <utility>

#include "results/finding/result.h"

namespace overlane::runner {

/// Why a scenario could not be run; the command line maps each kind to its exit code.
struct Failure {
  enum class Kind {
    Usage,       ///< The command line does not fit the input.
    Input,       ///< No input was usable, or the topology is impossible.
    TooLarge,    ///< It would take more memory than it may.
    NotWritten,  ///< A file that it writes cannot be made, or did not arrive.
    Internal,    ///< The program contradicts itself.
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
