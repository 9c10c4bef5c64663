#pragma once

#include <string>
#include <string_view>

// Reference pages that are generated from the program's tables: what it knows of each provider,
// and where each fact comes from. docs/reference/ holds the committed output.
namespace overlane::explain {

/// docs/reference/providers.md: what each provider's profile says in numbers, with sources, and the
/// landscape's settings. For `overlane check --provider-page`.
std::string provider_page();

/// docs/reference/facts.md: all rows of topologies/sources with what is taken from them, commit and
/// date. For `overlane check --facts-page`.
std::string facts_page();

/// The rows of facts_page() for tools/check-facts, as JSON lines: name, repository, path, commit,
/// date, blob and facts, each with what and passage. For `overlane check --facts-json`.
std::string facts_json();

}  // namespace overlane::explain
