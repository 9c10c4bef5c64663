#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/report/formats/findings.h"
#include "topologies/rules/rule.h"

// All rules by id, collected from the tables that the code runs, so that documentation and
// `--rule` cannot name a rule that does not exist. Also the texts made of it: `--list-rules` and
// `--explain-rule`. The reference page is made by tools/reference_pages.
namespace overlane::check {

/// Every rule that a finding about a manifest may name, from the tables that the code runs.
class RuleBook {
 public:
  RuleBook();

  /// Ordered by section, then by id; no id occurs twice.
  std::span<const rules::Rule* const> rules() const { return rules_; }
  /// The rule of this id, or nullptr.
  const rules::Rule* find(std::string_view id) const;
  /// The descriptions of all rules, in the same order.
  std::vector<report::SarifRule> sarif_rules() const;
  /// "there is no rule mtu-to-large; did you mean mtu-too-large?"
  std::string unknown(std::string_view id) const;

 private:
  std::vector<const rules::Rule*> rules_;
};

/// Who refuses or reports a violation: "admission refuses the object".
std::string_view noticed_by(rules::Enforcer enforcer);

/// One line per rule: section, id, severity, title.
std::string list_rules(const RuleBook& book);

/// All that is known of one rule, for a person.
std::string explain_rule(const rules::Rule& rule);

// Rules whose findings come from readers and decoders, not from a function in a table: a document
// that cannot be parsed, an unknown key, a value out of range. They have entries here so that
// every finding has a rule with documentation.

// Rules that have no check in a table.

/// Rules of the readers of documents.
std::span<const rules::Rule> input_rules();
/// Rules of the decoders of fields.
std::span<const rules::Rule> field_rules();
/// Rules of this folder: about annotations and selections.
std::span<const rules::Rule> check_rules();

}  // namespace overlane::check
