#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "dataplane/kernel/traffic/carry.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

/// Result of another program.
struct OtherFigure {
  std::string program;  ///< Program and version: "iperf3 3.12".
  /// Goodput of a stream in bit/s, or median round-trip time in nanoseconds.
  std::int64_t value = 0;
};

/// Lets another program carry a load instead of Overlane's own traffic, between the same places and
/// on the same processors. iperf3 carries streams, `streams` of them at once. sockperf carries
/// requests in a closed loop whose responses have the same size, at least 14 bytes. The program
/// measures for `time`, at least a second, after its own warm-up.
///
/// Fails with the reason: no program supports the load, it is not installed, it printed an error,
/// or its output has an unknown format (another version).
Parsed<OtherFigure> measure_with_other_program(const FlowLoad& load, std::uint32_t streams,
                                               const FlowEnd& client, const FlowEnd& server,
                                               std::uint16_t port, std::chrono::seconds time);

/// The goodput in iperf3's JSON (--json), and the median round trip in sockperf's summary.
Parsed<std::int64_t> goodput_of_iperf3(const std::string& printed);
Parsed<std::int64_t> round_trip_of_sockperf(const std::string& printed);

}  // namespace overlane::kernel
