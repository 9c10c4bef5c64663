#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/finding/finding.h"

namespace overlane::report {

// The findings of one command in formats for other programs: SARIF for code scanning, JUnit for CI.
// Formats for people are in results/report.

/// The findings of one command as input of the encoders below. The referenced findings and `verb`
/// must outlive it.
struct FindingSet {
  std::string_view verb;              ///< "check".
  std::vector<std::string> subjects;  ///< The objects that were checked: "namespace/name".
  std::span<const Finding> findings;
  std::span<const Finding> suppressed;  ///< Findings suppressed by an annotation of their object.
};

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
/// outside `root` get absolute URIs; standard input has no URI. Suppressed findings follow the
/// other results and have `suppressions` (section 3.27.23).
nlohmann::ordered_json encode_sarif(const FindingSet& set, std::span<const SarifRule> rules,
                                    const SarifOptions& options);

/// The findings as JUnit XML (the format of JUnit's Ant task). Each pair of a subject and a rule
/// with a finding of at least `threshold` is a failed test case. Each subject, and each file with
/// findings that concern no subject, also has a passed test case whose output is the findings below
/// the threshold.
std::string encode_junit(const FindingSet& set, Severity threshold);

}  // namespace overlane::report
