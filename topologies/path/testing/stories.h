#pragma once

#include <string>
#include <vector>

#include "topologies/compile/compile.h"
#include "topologies/path/trace.h"

namespace overlane::path::testing {

/// The decisions by place: "node-1: check source, route; vpc: …", without ICMP errors.
std::string story(const Trace& trace);
/// Every hop with its reason and entry, one per line.
std::string explain(const Trace& trace);
/// All lines of the states' text.
std::vector<std::string> all_lines(const compile::Compiled& states);

}  // namespace overlane::path::testing
