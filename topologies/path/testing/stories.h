#pragma once

#include <string>
#include <vector>

#include "topologies/compile/compile.h"
#include "topologies/path/trace.h"

namespace overlane::path::testing {

/// The decisions by place: "node-1: check source, route; vpc: …", without the ICMP errors.
std::string story(const Trace& trace);
/// Every hop with its reason and entry, a line each.
std::string explain(const Trace& trace);
/// Every line that the states print.
std::vector<std::string> all_lines(const compile::Compiled& states);

}  // namespace overlane::path::testing
