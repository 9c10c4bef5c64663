#pragma once

#include <optional>

#include "results/finding/finding.h"

namespace overlane::manifest {

/// How much is said about an object that Gardener's admission refuses.
enum class Detail {
  Summary,  ///< One finding `not-admitted`; the object is not used.
  All,      ///< Every finding by its own rule; the object is used if it could be read.
};

/// The one finding `not-admitted` for an object that Gardener's admission refuses: the first error
/// of `findings` with its own rule in the hint, and how many more there are. Nothing if no finding
/// is an error.
std::optional<Finding> not_admitted(const Findings& findings);

}  // namespace overlane::manifest
