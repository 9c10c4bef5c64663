#pragma once

#include <string>

#include "topologies/check/rule_book.h"

// Reference pages about what the program knows before it reads a manifest: its rules, the numbers
// of each provider, and where each fact comes from. They are generated from the tables that the
// code runs, so that a page cannot differ from the program; docs/reference/ holds the committed
// output.
namespace overlane::reference_pages {

/// docs/reference/rules.md: a table of all rules, and a section for each.
std::string rules_page(const check::RuleBook& book);

/// docs/reference/providers.md: the numbers of each provider's profile, with sources, and the
/// landscape's settings.
std::string provider_page();

/// docs/reference/facts.md: all rows of topologies/sources with their facts, commits and dates.
std::string facts_page();

/// The rows of facts_page() for tools/check-facts, as JSON lines: name, repository, path, commit,
/// date, blob and facts, each with what and passage.
std::string facts_json();

}  // namespace overlane::reference_pages
