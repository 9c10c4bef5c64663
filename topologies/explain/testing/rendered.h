#pragma once

#include <string>

#include "topologies/explain/explanation.h"

namespace overlane::explain::testing {

/// The text that `overlane explain` prints for these networks and findings.
std::string rendered(const Explanation& explanation, Form form = Form::Text);

}  // namespace overlane::explain::testing
