#pragma once

#include <string>

#include "results/model/flow_trace.h"

namespace overlane::report {

/// A trace as text: one line per event in order of time, with the delay from the previous place;
/// then the time of all packets per leg.
std::string flow_trace_text(const model::FlowTrace& trace);

}  // namespace overlane::report
