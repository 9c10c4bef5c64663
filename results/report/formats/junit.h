#pragma once

#include <string>

#include "results/report/formats/finding_set.h"

namespace overlane::report {

/// The findings as JUnit XML (the format of JUnit's Ant task). Each subject and rule with a finding
/// of at least `threshold` is a failed test case. Each subject, and each file with a finding about
/// no subject, also has a passed test case, whose output is the findings below the threshold.
std::string encode_junit(const FindingSet& set, Severity threshold);

}  // namespace overlane::report
