#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/report/formats/findings.h"
#include "topologies/rules/rule.h"

// All rules by id, collected from the tables that the code runs, so that documentation and
// `--explain-rule` cannot name a rule that does not exist, and the texts of `--list-rules` and
// `--explain-rule`. tools/reference_pages generates the reference page from the same list. A
// RuleBook is immutable, and any thread may read it.
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

/// The consequence of a violation, as a clause: "admission refuses the object".
std::string_view noticed_by(rules::Enforcer enforcer);

/// One line per rule: section, id, severity, title.
std::string list_rules(const RuleBook& book);

/// The text of `--explain-rule`: all fields of the rule.
std::string explain_rule(const rules::Rule& rule);

// Rules whose findings come from readers and decoders, not from a function in a table: a document
// that cannot be parsed, an unknown key, a value out of range. They have entries here so that
// every finding has a rule with documentation.

/// Rules of the readers of documents.
std::span<const rules::Rule> input_rules();
/// Rules of the decoders of fields.
std::span<const rules::Rule> field_rules();
/// Rules of this folder: about annotations and selections.
std::span<const rules::Rule> check_rules();

}  // namespace overlane::check
