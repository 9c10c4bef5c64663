#include "topologies/check/choice.h"

#include <algorithm>
#include <utility>

#include "topologies/check/own_rules.h"

namespace overlane::check {
namespace {

/// These do not keep a decoder from reading the value.
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
