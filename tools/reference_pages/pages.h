#pragma once

#include <string>

#include "scenarios/migration/inputs/transition.h"
#include "topologies/check/rule_book.h"

// Reference pages about what the program knows before it reads a manifest: its rules, the numbers
// of each provider, the sources of facts, the durations that `overlane migrate` assumes, which
// packets arrive between nodes in the middle of a switch, and the drop reasons. They are generated
// from the tables that the code runs, so that a page cannot differ from the program;
// docs/reference/ holds the committed output.
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

/// docs/reference/migration-timing.md: every duration with its range and source.
std::string timing_page();

/// docs/reference/mixed-nodes.md: the outcome of every case of migration::mixed_cases().
/// `transition`: as for migration::mixed_world().
std::string mixed_nodes_page(const migration::Transition& transition);

/// docs/reference/drop-reasons.md: every drop reason with all that its row of kDrops says.
std::string drops_page();

/// docs/reference/regimes.md: what is not modelled although inputs can ask for it.
std::string regimes_page();

}  // namespace overlane::reference_pages
