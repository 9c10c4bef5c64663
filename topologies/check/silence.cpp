#include "topologies/check/silence.h"

#include <fmt/format.h>

#include "topologies/document/fields.h"
#include "topologies/manifest/shoot_view.h"

namespace overlane::check {
namespace {

using document::Value;
using manifest::ObjectHead;
using manifest::Role;

constexpr const char* kSeparators = ", \t\n";

/// The object that findings name, and the metadata with its annotations: of a Cluster and of others
/// that hold a shoot, the shoot's.
std::pair<ObjectName, Value> judged(const ObjectHead& object) {
  const Value own = object.root["metadata"];
  if (!object.is(Role::Cluster) && !object.is(Role::Shoot)) return {object.name, own};
  const manifest::ShootView shoot = object.is(Role::Shoot)
                                        ? manifest::view_shoot(object, object.root)
                                        : manifest::view_embedded_shoot(object);
  return {shoot.name, shoot.form == manifest::ShootForm::Runtime ? own : shoot.metadata};
}

}  // namespace

Silence::Silence(const document::Stream& stream, const RuleBook& book, Findings& findings) {
  for (const ObjectHead& object : manifest::list_objects(stream)) {
    if (object.kind == nullptr) continue;
    const auto [name, metadata] = judged(object);
    const Value annotation = metadata["annotations"][kIgnoreAnnotation];
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
