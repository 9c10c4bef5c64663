#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "topologies/check/found.h"
#include "topologies/check/rule_book.h"

namespace overlane::check {

struct SarifOptions {
  std::string version;    ///< Of this program.
  std::string rules_url;  ///< Where the rules' page is published; empty: rules name no page.
  std::string root;       ///< Absolute: files below it are named relative to it, as %SRCROOT%.
};

/// A log of SARIF 2.1.0 (OASIS standard, 27 March 2020) with one run, for code scanning. Files that
/// lie outside `root` get absolute addresses; standard input gets none. What annotations silence
/// follows the other results, with `suppressions` (section 3.27.23).
nlohmann::ordered_json encode_sarif(const Found& found, const RuleBook& book,
                                    const SarifOptions& options);

}  // namespace overlane::check
