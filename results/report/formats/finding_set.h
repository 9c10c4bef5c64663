#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::report {

/// The findings of one command, as input of the formats of other programs. Refers to the caller's
/// findings.
struct FindingSet {
  std::string_view verb;              ///< "check".
  std::vector<std::string> subjects;  ///< The objects that were checked: "namespace/name".
  std::span<const Finding> findings;
  std::span<const Finding> suppressed;  ///< By an annotation of their object.
};

}  // namespace overlane::report
