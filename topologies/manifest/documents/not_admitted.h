#pragma once

#include <optional>

#include "results/finding/finding.h"

namespace overlane::manifest {

/// How an object that Gardener's admission refuses is reported.
enum class Detail {
  Summary,  ///< One finding `not-admitted`; the object is not used.
  All,      ///< Every finding with its own rule; the object is used if it can be read.
};

/// The one finding `not-admitted` for an object that Gardener's admission refuses: the first error
/// of `findings` with its own rule in the hint, and how many more there are. Nothing if no finding
/// is an error.
std::optional<Finding> not_admitted(const Findings& findings);

}  // namespace overlane::manifest
