#include "topologies/check/rule_book.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "topologies/check/own_rules.h"
#include "topologies/cni/described/described.h"
#include "topologies/document/spelling.h"
#include "topologies/domains/merge.h"
#include "topologies/effective/rule_tables.h"
#include "topologies/explain/extensions.h"
#include "topologies/live/live.h"
#include "topologies/overlap/meaning.h"
#include "topologies/overlap/unmodelled.h"
#include "topologies/update/update.h"

namespace overlane::check {
namespace {

using effective::Rule;

void list_extension(const effective::NetworkExtension& extension, std::vector<const Rule*>& rules) {
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
  list_rules(effective::gardener_checks(), rules_);
  list_rules(effective::provider_checks(), rules_);
  list_rules(effective::omission_checks(), rules_);
  list_rules(effective::lints(), rules_);
  for (const auto& more : {update::rules(), live::rules()})
    rules_.insert(rules_.end(), more.begin(), more.end());
  for (const effective::NetworkExtension* extension : explain::network_extensions())
    list_extension(*extension, rules_);
  list_extension(described::Extension({}), rules_);
  std::ranges::sort(rules_, stands_before);
}

const Rule* RuleBook::find(std::string_view id) const {
  const auto found = std::ranges::find(rules_, id, &Rule::id);
  return found == rules_.end() ? nullptr : *found;
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

}  // namespace overlane::check
