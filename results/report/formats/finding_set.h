#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::report {

/// The findings of one command, as input of the formats of other programs (sarif.h, junit.h). The
/// referenced findings and `verb` must outlive it.
struct FindingSet {
  std::string_view verb;              ///< "check".
  std::vector<std::string> subjects;  ///< The objects that were checked: "namespace/name".
  std::span<const Finding> findings;
  std::span<const Finding> suppressed;  ///< Findings suppressed by an annotation of their object.
};

}  // namespace overlane::report
