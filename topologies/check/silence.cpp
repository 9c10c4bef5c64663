#include "topologies/check/silence.h"

#include <fmt/format.h>

#include "topologies/document/fields.h"
#include "topologies/manifest/object_head.h"

namespace overlane::check {
namespace {

using document::Value;
using manifest::ObjectHead;

constexpr const char* kSeparators = ", \t\n";

/// The object that findings name, and the one that carries its annotations: of a Cluster that is
/// the embedded shoot.
std::pair<ObjectName, Value> judged(const ObjectHead& object) {
  if (object.wanted != ObjectHead::Wanted::Cluster) return {object.name, object.root};
  const Value shoot = object.root["spec"]["shoot"];
  ObjectName name = manifest::name_of(shoot);
  if (name.name.empty()) name.name = object.name.name;
  name.kind = "Shoot";
  return {std::move(name), shoot};
}

}  // namespace

Silence::Silence(const document::Stream& stream, const RuleBook& book, Findings& findings) {
  for (const ObjectHead& object : manifest::list_objects(stream)) {
    if (!object.wanted) continue;
    const auto [name, root] = judged(object);
    const Value annotation = root["metadata"]["annotations"][kIgnoreAnnotation];
    document::Problems problems(name);
    const std::string text = document::read_string(annotation, problems).value_or("");
    for (std::size_t start = text.find_first_not_of(kSeparators); start != std::string::npos;) {
      const std::size_t end = text.find_first_of(kSeparators, start);
      const std::string rule = text.substr(start, end - start);
      if (book.find(rule) == nullptr)
        problems.warning(annotation, "unknown-rule", book.unknown(rule), "correct the annotation");
      rules_[name].insert(rule);
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
