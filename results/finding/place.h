#pragma once

#include <compare>
#include <string>

#include "results/finding/interned.h"

namespace overlane {

/// Where in an input something stands. Lines and columns count from 1; 0 means "not known".
struct SourceLocation {
  Interned file;
  int line = 0;
  int column = 0;

  /// "shoot.yaml:12:5", without the parts that are not known; empty when nothing is.
  std::string to_string() const;

  auto operator<=>(const SourceLocation&) const = default;
};

}  // namespace overlane
