#pragma once

#include <string>

#include "topologies/check/found.h"

namespace overlane::check {

/// The findings as the XML that JUnit's Ant task made common. Each shoot and rule that has a
/// finding of at least `threshold` is a test case that failed; each shoot, and each file that has a
/// finding about no shoot, is one that passed, with the lesser findings as its output.
std::string encode_junit(const Found& found, Severity threshold);

}  // namespace overlane::check
