#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/base/interned.h"
#include "results/base/result.h"

namespace overlane {

// Findings: the program's messages about its inputs, as a linter or compiler prints them. A Finding
// has a rule with a stable id, a severity, one sentence, a hint, and the object, field and line of
// the problem. All verbs collect findings in a list and print them in the same forms (text, JSON,
// JUnit, SARIF). Result and Parsed are the return types of functions that can fail. Result has a
// Finding as its error; Parsed has a phrase, to which the caller adds the location. All types are
// values without references.

/// A location in an input. Lines and columns count from 1; 0 means unknown.
struct SourceLocation {
  Interned file;
  int line = 0;
  int column = 0;

  /// "shoot.yaml:12:5", without unknown parts; may be empty.
  std::string to_string() const;

  auto operator<=>(const SourceLocation&) const = default;
};

/// Severity of a finding, in ascending order, so that `severity >= Severity::Error` works.
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

class JsonReader;

/// The JSON form of `findings[]`: rule, severity, message, object{kind,namespace,name}, path, file,
/// line, column, hint. Unknown locations are null. A message begins with the object's
/// namespace/name.
nlohmann::ordered_json encode(const Findings& findings);
/// Decodes the list that encode() makes.
Findings decode_findings(const JsonReader& json);

}  // namespace overlane
