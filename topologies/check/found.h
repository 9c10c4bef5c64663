#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::check {

/// What a verb found, for the formats that other programs read. Refers to the verb's report.
struct Found {
  std::string_view verb;              ///< "check".
  std::vector<std::string> subjects;  ///< What was judged, in order: "namespace/name".
  std::span<const Finding> findings;
  std::span<const Finding> silenced;  ///< Left out because an annotation says so.
};

}  // namespace overlane::check
