#include "topologies/check/silence.h"

#include <fmt/format.h>

#include "topologies/check/judged_objects.h"
#include "topologies/document/fields/fields.h"

namespace overlane::check {
namespace {

using document::Value;

constexpr const char* kSeparators = ", \t\n";

}  // namespace

Silence::Silence(const document::Stream& stream, const RuleBook& book, Findings& findings) {
  for (const JudgedObject& object : judged_objects(stream)) {
    const Value annotation = object.metadata["annotations"][kIgnoreAnnotation];
    document::Problems problems(object.name);
    const std::string text = document::read_string(annotation, problems).value_or("");
    for (std::size_t start = text.find_first_not_of(kSeparators); start != std::string::npos;) {
      const std::size_t end = text.find_first_of(kSeparators, start);
      const std::string rule = text.substr(start, end - start);
      if (book.find(rule) == nullptr)
        problems.warning(annotation, "unknown-rule", book.unknown(rule), "correct the annotation");
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
