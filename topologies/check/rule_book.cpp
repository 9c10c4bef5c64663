#include "topologies/check/rule_book.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "results/report/text.h"
#include "topologies/check/reader_rules.h"
#include "topologies/cni/declarative/declarative.h"
#include "topologies/cni/profiles.h"
#include "topologies/document/fields/spelling.h"
#include "topologies/domains/merge.h"
#include "topologies/live/live.h"
#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/pairs/impact.h"
#include "topologies/rules/rule_tables.h"
#include "topologies/update/update.h"

namespace overlane::check {

namespace {

using rules::Rule;

void list_extension(const cni::NetworkExtension& extension, std::vector<const Rule*>& rules) {
  const std::vector<const Rule*> own = extension.rules();
  rules.insert(rules.end(), own.begin(), own.end());
}

bool stands_before(const Rule* a, const Rule* b) {
  return std::tie(a->section, a->id) < std::tie(b->section, b->id);
}

}  // namespace

RuleBook::RuleBook() {
  for (const auto& table :
       {input_rules(), field_rules(), check_rules(), domains::rules(), overlap::rules()})
    for (const Rule& rule : table)
      rules_.push_back(&rule);
  rules_.push_back(&overlap::unmodelled_rule());
  list_rules(rules::gardener_checks(), rules_);
  list_rules(rules::provider_checks(), rules_);
  list_rules(rules::omission_checks(), rules_);
  list_rules(rules::lints(), rules_);
  for (const auto& more : {update::rules(), live::rules()})
    rules_.insert(rules_.end(), more.begin(), more.end());
  for (const cni::Profile* cni : cni::profiles())
    list_extension(*cni->extension, rules_);
  list_extension(declarative::Extension({}), rules_);
  std::ranges::sort(rules_, stands_before);
}

const Rule* RuleBook::find(std::string_view id) const {
  const auto found = std::ranges::find(rules_, id, &Rule::id);
  return found == rules_.end() ? nullptr : *found;
}

std::vector<report::SarifRule> RuleBook::sarif_rules() const {
  std::vector<report::SarifRule> descriptions;
  for (const Rule* rule : rules_)
    descriptions.push_back({.id = rule->id,
                            .severity = rule->severity,
                            .title = rule->title,
                            .why = rule->why,
                            .remedy = rule->remedy,
                            .section = rule->section,
                            .enforcer = to_string(rule->enforcer),
                            .source = rule->source.text()});
  return descriptions;
}

std::string RuleBook::unknown(std::string_view id) const {
  std::vector<std::string_view> ids;
  for (const Rule* rule : rules_)
    ids.push_back(rule->id);
  const std::string_view close = document::closest(id, ids);
  return fmt::format("there is no rule {}; {}", id,
                     close.empty() ? "`overlane check --list-rules` names all of them"
                                   : fmt::format("did you mean {}?", close));
}

std::string_view noticed_by(rules::Enforcer enforcer) {
  switch (enforcer) {
    case rules::Enforcer::Admission:
      return "admission refuses the object";
    case rules::Enforcer::Reconcile:
      return "it is admitted, and then cannot be reconciled";
    case rules::Enforcer::None:
      return "no component: the object is accepted, but misbehaves";
    case rules::Enforcer::Reader:
      return "overlane, which cannot use the document";
  }
  return "";
}

std::string list_rules(const RuleBook& book) {
  std::size_t width = 0;
  for (const Rule* rule : book.rules())
    width = std::max(width, rule->id.size());
  constexpr std::size_t kSection = 9;  // Columns.
  std::string text;
  for (const Rule* rule : book.rules())
    text += report::wrapped(fmt::format("{:<8} {:<{}}  {:<7}  ", rule->section, rule->id, width,
                                        to_string(rule->severity)),
                            rule->title, report::terminal_width(), kSection);
  return text;
}

std::string explain_rule(const Rule& rule) {
  const std::size_t width = report::terminal_width();
  std::string text = fmt::format("{}\n{}\n{}\n", rule.id, report::wrapped("", rule.title, width),
                                 report::wrapped("", rule.why, width));
  text += report::wrapped("section:     ", rule.section, width);
  text += report::wrapped("severity:    ", to_string(rule.severity), width);
  text += report::wrapped("noticed by:  ", noticed_by(rule.enforcer), width);
  text += report::wrapped("what to do:  ", rule.remedy, width);
  return text + report::wrapped("source:      ", rule.source.dated(), width);
}

}  // namespace overlane::check
