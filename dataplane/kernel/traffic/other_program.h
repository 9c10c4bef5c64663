#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "dataplane/kernel/traffic/carry.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

/// What another program measured.
struct OtherFigure {
  std::string program;  ///< With its version: "iperf3 3.12".
  /// Goodput of a stream in bit/s, or median round trip in nanoseconds.
  std::int64_t value = 0;
};

/// Lets another program carry a load in place of the own traffic, between the same places and on
/// the same processors: iperf3 a stream, `streams` of them at once; sockperf requests in a closed
/// loop whose responses have the same size, 14 bytes or more. It counts for `time`, at least a
/// second, behind a warm-up of its own.
///
/// Fails with the reason: no such program does that, it is not installed, or it printed an error,
/// or something that is not understood (another version).
Parsed<OtherFigure> measure_with_other_program(const FlowLoad& load, std::uint32_t streams,
                                               const FlowEnd& client, const FlowEnd& server,
                                               std::uint16_t port, std::chrono::seconds time);

/// The goodput in iperf3's JSON (--json), and the median round trip in sockperf's summary.
Parsed<std::int64_t> goodput_of_iperf3(const std::string& printed);
Parsed<std::int64_t> round_trip_of_sockperf(const std::string& printed);

}  // namespace overlane::kernel
