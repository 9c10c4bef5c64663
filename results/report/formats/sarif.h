#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "results/report/formats/finding_set.h"

namespace overlane::report {

/// The description of a rule in a SARIF log. The texts must outlive it.
struct SarifRule {
  std::string_view id;
  Severity severity = Severity::Error;
  std::string_view title;   ///< The violation in one sentence.
  std::string_view why;     ///< The consequence of a violation.
  std::string_view remedy;  ///< What to do.
  std::string_view section;
  std::string_view enforcer;  ///< What rejects a violation: "admission"; "none": no component.
  std::string_view source;
};

struct SarifOptions {
  std::string version;    ///< Version of this program.
  std::string rules_url;  ///< URL of the published page of rules; empty: no links.
  std::string root;       ///< Absolute path; files below it are relative to it, as %SRCROOT%.
};

/// A log of SARIF 2.1.0 (OASIS standard, 27 March 2020) with one run, for code scanning. Files
/// outside `root` get absolute URIs; standard input gets none. Suppressed findings follow the other
/// results, with `suppressions` (section 3.27.23).
nlohmann::ordered_json encode_sarif(const FindingSet& set, std::span<const SarifRule> rules,
                                    const SarifOptions& options);

}  // namespace overlane::report
