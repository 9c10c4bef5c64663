#include "topologies/check/silence.h"

#include <string>

#include <fmt/format.h>

#include "topologies/check/judged_objects.h"
#include "topologies/document/fields/fields.h"

namespace overlane::check {
namespace {

using document::Value;

constexpr const char* kSeparators = ", \t\n";

/// An annotation does not change what others refuse, or what cannot be read.
bool is_silenceable(const rules::Rule& rule) {
  return rule.severity != Severity::Error || rule.enforcer == rules::Enforcer::None;
}

std::string not_silenced(const rules::Rule& rule) {
  return fmt::format("an annotation cannot silence {}, because {}", rule.id,
                     rule.enforcer == rules::Enforcer::Admission ? "admission refuses the object"
                     : rule.enforcer == rules::Enforcer::Reconcile
                         ? "the object cannot be reconciled"
                         : "the document cannot be read");
}

}  // namespace

Silence::Silence(const document::Stream& stream, const RuleBook& book, Findings& findings) {
  for (const JudgedObject& object : judged_objects(stream)) {
    const Value annotation = object.metadata["annotations"][kIgnoreAnnotation];
    document::Problems problems(object.name);
    const std::string text = document::read_string(annotation, problems).value_or("");
    for (std::size_t start = text.find_first_not_of(kSeparators); start != std::string::npos;) {
      const std::size_t end = text.find_first_of(kSeparators, start);
      const std::string rule = text.substr(start, end - start);
      const rules::Rule* known = book.find(rule);
      if (known == nullptr)
        problems.warning(annotation, "unknown-rule", book.unknown(rule), "correct the annotation");
      else if (!is_silenceable(*known))
        problems.warning(annotation, "rule-not-silenced", not_silenced(*known),
                         "correct the object, or pass --ignore " + rule);
      else
        rules_[object.name].insert(rule);
      start = text.find_first_not_of(kSeparators, end);
    }
    findings.insert(findings.end(), problems.findings().begin(), problems.findings().end());
  }
}

bool Silence::covers(const Finding& finding) const {
  const auto found = rules_.find(finding.object);
  return found != rules_.end() && found->second.contains(finding.rule);
}

}  // namespace overlane::check
