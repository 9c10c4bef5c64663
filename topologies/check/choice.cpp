#include "topologies/check/choice.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "topologies/check/rule_book.h"
#include "topologies/document/fields/fields.h"
#include "topologies/manifest/objects/shoot_view.h"

namespace overlane::check {

namespace {

using manifest::ObjectHead;
using manifest::Role;

JudgedObject judged(const ObjectHead& object) {
  const document::Value own = object.root["metadata"];
  if (!object.is(Role::Cluster) && !object.is(Role::Shoot))
    return {object.name, object.root.place(), own, object.root["spec"]};
  const manifest::ShootView shoot = object.is(Role::Shoot)
                                        ? manifest::view_shoot(object, object.root)
                                        : manifest::view_embedded_shoot(object);
  const bool is_runtime = shoot.form == manifest::ShootForm::Runtime;
  return {shoot.name, object.root.place(), is_runtime ? own : shoot.metadata, shoot.spec,
          shoot.is_whole()};
}

}  // namespace

std::vector<JudgedObject> judged_objects(const document::Stream& stream) {
  std::vector<JudgedObject> objects;
  for (const ObjectHead& object : manifest::list_objects(stream.documents))
    if (object.kind != nullptr) objects.push_back(judged(object));
  return objects;
}

namespace {

using document::Value;

constexpr const char* kSeparators = ", \t\n";

/// Whether an annotation may silence the rule. It cannot silence an error that admission, a
/// controller or a reader reports.
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

namespace {

/// Rules of findings after which a decoder still reads the value.
constexpr std::string_view kHarmless[] = {"unknown-key", "removed-field", "seed-ranges-overlap",
                                          "seed-reserved-range", "seed-services-too-large"};

bool is_lost_value(const Finding& finding) {
  return finding.severity == Severity::Error &&
         std::ranges::find(kHarmless, finding.rule) == std::end(kHarmless) &&
         std::ranges::find(field_rules(), finding.rule, &rules::Rule::id) != field_rules().end();
}

}  // namespace

Choice::Choice(const document::Stream& stream, Selection selection)
    : selection_(std::move(selection)), silence_(stream, book_, findings_) {}

bool Choice::wants(const Finding& finding) const {
  const auto& [only, ignored] = selection_;
  if (std::ranges::find(ignored, finding.rule) != ignored.end()) return false;
  if (only.empty() || std::ranges::find(only, finding.rule) != only.end()) return true;
  return is_unusable(finding) || is_lost_value(finding);
}

bool Choice::is_unusable(const Finding& finding) const {
  const rules::Rule* rule = book_.find(finding.rule);
  return finding.severity == Severity::Error && rule != nullptr &&
         rule->enforcer == rules::Enforcer::Reader;
}

bool Choice::hides_lost_value(const Finding& finding) const {
  return is_lost_value(finding) && hides(finding);
}

derive::DeriveOptions Choice::overlooking(const derive::DeriveOptions& derive) const {
  derive::DeriveOptions options = derive;
  options.overlooks = [this](const Finding& finding) {
    return hides(finding) && !is_lost_value(finding);
  };
  return options;
}

}  // namespace overlane::check
