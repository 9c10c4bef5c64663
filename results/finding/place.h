#pragma once

#include <compare>
#include <string>

#include "results/finding/interned.h"

namespace overlane {

/// A location in an input. Lines and columns count from 1; 0 means unknown.
struct SourceLocation {
  Interned file;
  int line = 0;
  int column = 0;

  /// "shoot.yaml:12:5", without unknown parts; may be empty.
  std::string to_string() const;

  auto operator<=>(const SourceLocation&) const = default;
};

}  // namespace overlane
