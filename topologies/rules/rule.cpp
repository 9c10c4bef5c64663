#include "topologies/rules/rule.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "topologies/document/tree/tree.h"

namespace overlane::rules {

std::string_view to_string(Enforcer enforcer) {
  switch (enforcer) {
    case Enforcer::Admission:
      return "admission";
    case Enforcer::Reconcile:
      return "reconcile";
    case Enforcer::None:
      return "none";
    case Enforcer::Reader:
      return "overlane";
  }
  return "";
}

namespace {

/// Whether a hint recommends another dataplane.
bool recommends_switch(std::string_view hint) {
  constexpr std::string_view kChanges[] = {
      "set overlay.enabled:", "or overlay.enabled:", "set vxlan.enabled: true", "use an overlay"};
  return std::ranges::any_of(
      kChanges, [&](std::string_view change) { return hint.find(change) != hint.npos; });
}

constexpr std::string_view kSimulateFirst =
    "; the shoot is live: see first what `overlane migrate FILE --to MODE` says";

}  // namespace

void RuleReport::add(std::string path, SourceLocation place, const std::string& message,
                     std::string hint) {
  assert(rule_ != nullptr);
  if (place.line == 0)
    place = spec_->place;  // The value was combined from several fields, so it
                           // has no place of its own.
  if (hint.empty()) hint = rule_->remedy;
  if (is_live_ && recommends_switch(hint)) hint += kSimulateFirst;
  const bool is_past = is_admitted_ && rule_->enforcer == Enforcer::Admission;
  findings_.push_back(
      {.rule = std::string(rule_->id),
       .severity = is_past ? std::min(rule_->severity, Severity::Warning) : rule_->severity,
       .message = document::one_line(
           fmt::format("{}: {}{}", spec_->object.qualified(), message,
                       is_past ? "; the live object has it, and its next change is refused" : "")),
       .object = spec_->object,
       .path = std::move(path),
       .place = std::move(place),
       .hint = std::move(hint)});
}

void RuleReport::add(const std::string& message, std::string hint) {
  if (const document::Value config = spec_->provider_config.root())
    add(config.path(), config.place(), message, std::move(hint));
  else
    add(spec_->type, message, std::move(hint));
}

void RuleReport::add_assumed(std::string path, SourceLocation place, const std::string& message,
                             std::string hint) {
  add(std::move(path), std::move(place), message, std::move(hint));
  findings_.back().severity = std::min(findings_.back().severity, Severity::Warning);
}

}  // namespace overlane::rules
