#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/place.h"

namespace overlane {

/// Ordered by weight, so that `severity >= Severity::Error` reads as it should.
enum class Severity { Note, Warning, Error };

/// "note", "warning" or "error": the spelling of the JSON and of `--fail-on`.
std::string_view to_string(Severity severity);

/// The Kubernetes object a finding is about; empty members are not known.
struct ObjectName {
  std::string kind;
  std::string namespace_;
  std::string name;

  /// "namespace/name", or the name alone for a cluster-scoped object.
  std::string qualified() const;

  auto operator<=>(const ObjectName&) const = default;
};

/// One thing that is wrong with an input, or worth knowing about it.
struct Finding {
  std::string rule;  ///< Stable kebab-case id, for example "placeholder".
  Severity severity = Severity::Error;
  std::string message;  ///< One sentence, without place and hint.
  ObjectName object;
  std::string path;  ///< Field path from the document's root: "spec.networking.pods".
  SourceLocation place;
  std::string hint;  ///< What to do about it; may be empty.

  /// "file:line:column: error: message [rule]; hint", the line that a person reads.
  std::string to_string() const;

  auto operator<=>(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

/// Whether any finding weighs at least `threshold`.
bool any_at_or_above(const Findings& findings, Severity threshold);

}  // namespace overlane
