#pragma once

#include <optional>
#include <string>

#include "topologies/document/tree/tree.h"

namespace overlane::manifest {

// Values that someone has to replace before a manifest can be used: placeholders of
// documentation (`<some-cidr>`), expressions of templates (`{{ .Values }}`, `$NAME`) and
// elisions (`...`). They are reported instead of the many errors that they would cause as CIDRs
// or numbers. A document is tested quickly first, since most have none.

/// A value that must be replaced before use.
struct Unfilled {
  document::Value value;
  std::string
      rule;  ///< "placeholder" (`<some-…>`), "template" (`{{ }}`, `${}`, `$NAME`), "elision".
  std::string message;
  std::string hint;
};

/// Whether the document may hold such values, as a quick test: most contain none of the markers.
bool may_hold_unfilled(const document::Value& document);

/// The first such scalar at or below `value`, in document order, also if the placeholder is only a
/// part of it (`garden-<project>`).
std::optional<Unfilled> find_unfilled(const document::Value& value);

/// find_unfilled() for parts that are not decoded and may hold any text, such as annotations and a
/// status: only a plain scalar that is `...` or `<some-…>`, or contains `{{ }}`.
std::optional<Unfilled> find_unfinished(const document::Value& value);

}  // namespace overlane::manifest
