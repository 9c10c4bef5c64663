#pragma once

#include <optional>
#include <string>

#include "topologies/document/tree/tree.h"

namespace overlane::manifest {

/// A value that its author meant to be replaced before use.
struct Unfilled {
  document::Value value;
  std::string
      rule;  ///< "placeholder" (`<some-…>`), "template" (`{{ }}`, `${}`), "elision" (`...`).
  std::string message;
  std::string hint;
};

/// Whether a look at every scalar is worth it: most documents hold none of the signs.
bool may_hold_unfilled(const document::Value& document);

/// The first such scalar at or below `value`, in document order. A text that merely contains a
/// placeholder (`garden-<project>`) counts.
std::optional<Unfilled> find_unfilled(const document::Value& value);

/// The same for parts that nobody reads and that may hold texts of any kind, such as annotations
/// and a status: only what is clearly no finished document, that is a plain value that is nothing
/// but `...` or `<some-…>`, or holds `{{ }}`.
std::optional<Unfilled> find_unfinished(const document::Value& value);

}  // namespace overlane::manifest
