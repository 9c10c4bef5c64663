#pragma once

#include <string>

#include "results/report/formats/finding_set.h"

namespace overlane::report {

/// The findings as JUnit XML (the format of JUnit's Ant task). Each pair of a subject and a rule
/// with a finding of at least `threshold` is a failed test case. Each subject also has a passed
/// test case whose output is the findings below the threshold; so has each file with findings that
/// concern no subject.
std::string encode_junit(const FindingSet& set, Severity threshold);

}  // namespace overlane::report
