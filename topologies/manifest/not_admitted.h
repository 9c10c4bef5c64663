#pragma once

#include <optional>

#include "results/finding/finding.h"

namespace overlane::manifest {

/// The one finding `not-admitted` for an object that Gardener's admission refuses: the first error
/// of `findings` with its own rule in the hint, and how many more there are. Nothing if no finding
/// is an error.
std::optional<Finding> not_admitted(const Findings& findings);

}  // namespace overlane::manifest
