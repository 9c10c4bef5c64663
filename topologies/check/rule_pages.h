#pragma once

#include <string>

#include "topologies/check/rule_book.h"

namespace overlane::check {

/// The page docs/reference/rules.md, as Markdown.
std::string rule_pages(const RuleBook& book);

/// One line per rule: section, id, severity, title.
std::string list_rules(const RuleBook& book);

/// All that is known of one rule, for a person.
std::string explain_rule(const rules::Rule& rule);

}  // namespace overlane::check
