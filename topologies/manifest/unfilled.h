#pragma once

#include <optional>
#include <string>

#include "topologies/document/tree.h"

namespace overlane::manifest {

/// A value that its author meant to be replaced before use.
struct Unfilled {
  document::Value value;
  std::string
      rule;  ///< "placeholder" (`<some-…>`), "template" (`{{ }}`, `${}`), "elision" (`...`).
  std::string message;
  std::string hint;
};

/// The first such scalar at or below `value`, in document order.
std::optional<Unfilled> find_unfilled(const document::Value& value);

}  // namespace overlane::manifest
