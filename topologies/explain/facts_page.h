#pragma once

#include <string>

namespace overlane::explain {

/// docs/reference/facts.md: all rows of topologies/sources with what is taken from them, commit and
/// date. For `overlane check --facts-page`.
std::string facts_page();

/// The same rows for tools/check-facts, as JSON lines: name, repository, path, commit, date, blob
/// and facts, each with what and passage. For `overlane check --facts-json`.
std::string facts_json();

}  // namespace overlane::explain
