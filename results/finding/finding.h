#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/place.h"

namespace overlane {

/// Ordered, so that `severity >= Severity::Error` works.
enum class Severity { Note, Warning, Error };

/// "note", "warning" or "error": the spelling of the JSON and of `--fail-on`.
std::string_view to_string(Severity severity);

/// The Kubernetes object of a finding; unknown members are empty.
struct ObjectName {
  std::string kind;
  std::string namespace_;
  std::string name;

  /// "namespace/name", or the name for a cluster-scoped object.
  std::string qualified() const;

  auto operator<=>(const ObjectName&) const = default;
};

/// One problem of an input, or a note about it.
struct Finding {
  std::string rule;  ///< Stable kebab-case id, for example "placeholder".
  Severity severity = Severity::Error;
  std::string message;  ///< One sentence, without location and hint.
  ObjectName object;
  std::string path;  ///< Field path from the document's root: "spec.networking.pods".
  SourceLocation place;
  std::string hint;  ///< What to do about it; may be empty.

  /// "file:line:column: error: message [rule]; hint".
  std::string to_string() const;

  auto operator<=>(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

/// Whether any finding has at least the severity `threshold`.
bool any_at_or_above(const Findings& findings, Severity threshold);

}  // namespace overlane
