#pragma once

#include <string>

#include "results/model/flow_trace.h"

namespace overlane::report {

/// A trace as a person reads it: a line for each packet at each place, in the order of time, with
/// how long it took from the place before; then where the time of all packets went.
std::string flow_trace_text(const model::FlowTrace& trace);

}  // namespace overlane::report
