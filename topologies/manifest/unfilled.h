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

/// The first such scalar at or below `value`, in document order. A text that merely contains a
/// placeholder (`garden-<project>`) counts.
std::optional<Unfilled> find_unfilled(const document::Value& value);

/// The same for parts that nobody reads and that may hold texts of any kind, such as annotations
/// and a status: only what is clearly no finished document, that is a plain value that is nothing
/// but `...` or `<some-…>`, or holds `{{ }}`.
std::optional<Unfilled> find_unfinished(const document::Value& value);

}  // namespace overlane::manifest
