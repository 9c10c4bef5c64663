#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/capture/pcapng_writer.h"
#include "scenarios/runner/load/request.h"
#include "sim/run/inputs/trace_event.h"
#include "sim/run/inputs/traffic_group.h"

namespace overlane::runner {

/// Writes the packets of one run as they are at one place, with simulated time since 1970, into a
/// pcapng file: `Wire` as they leave the NIC of a node, on one interface for each, with their outer
/// headers; `Pod` as the veth of the pod that began the flow has them, sent and received.
class PacketCapture {
 public:
  struct Options {
    std::string file;
    CapturePlace place = CapturePlace::Wire;
    std::int64_t limit = 0;  ///< Packets.
    std::uint64_t seed = 1;  ///< Of the numbers that connections begin with.
  };
  /// `traffic` is what the run sends. Fails with the file's name when it cannot be made.
  static Result<PacketCapture> create(Options options, const std::vector<std::string>& nodes,
                                      const std::vector<run::TrafficGroup>& traffic);

  void see(const run::TraceEvent& sighting);

  /// Packets beyond the limit.
  std::int64_t left_out() const { return left_out_; }
  const std::string& file() const { return options_.file; }
  /// Makes sure that everything arrived in the file, or says what did not.
  Result<void> close() { return writer_.close(); }

 private:
  PacketCapture(Options options, capture::PcapngWriter writer)
      : options_(std::move(options)), writer_(std::move(writer)) {}

  bool is_seen_here(const run::TraceEvent& sighting) const;

  Options options_;
  capture::PcapngWriter writer_;
  std::vector<std::uint8_t> window_scales_;  ///< Of each group.
  std::int64_t written_ = 0;
  std::int64_t left_out_ = 0;
};

}  // namespace overlane::runner
