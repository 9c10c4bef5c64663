#pragma once

#include <string>

#include "topologies/path/trace_report.h"

namespace overlane::path {

/// A trace as Cilium's Hubble would report it: for each interface that the packet passes, one flow
/// as JSON on a line, as `hubble observe -o jsonpb` prints it (GetFlowsResponse of
/// api/v1/observer/observer.proto, with Flow of api/v1/flow/flow.proto and its names), and one flow
/// with verdict DROPPED where it ends. Addresses and ports are those of the outermost header at
/// that interface. Times count microseconds from 1970 in the order of the interfaces, as the trace
/// has no duration. Shoots with other CNIs get the flows that Cilium would report there.
std::string hubble_lines(const TraceReport& report);

}  // namespace overlane::path
