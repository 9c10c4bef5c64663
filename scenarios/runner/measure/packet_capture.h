#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/capture/capture_writer.h"
#include "scenarios/runner/load/request.h"
#include "sim/run/inputs/trace_event.h"
#include "sim/run/inputs/traffic_group.h"

namespace overlane::runner {

/// Writes the packets of one run at one place to a pcapng file, with simulated time since 1970:
/// `Wire` as they leave a node's NIC, one interface per node, with outer headers; `Pod` as sent and
/// received on the veth of the pod that started the flow.
class PacketCapture {
 public:
  struct Options {
    std::string file;
    CapturePlace place = CapturePlace::Wire;
    std::int64_t limit = 0;  ///< Packets.
    std::uint64_t seed = 1;  ///< Seed of initial sequence numbers.
  };
  /// `traffic` is the run's traffic. Fails with the file's name if it cannot be created.
  static Result<PacketCapture> create(Options options, const std::vector<std::string>& nodes,
                                      const std::vector<run::TrafficGroup>& traffic);

  void see(const run::TraceEvent& sighting);

  /// Packets beyond the limit.
  std::int64_t left_out() const { return left_out_; }
  const std::string& file() const { return options_.file; }
  /// Closes the file, or returns the write error.
  Result<void> close() { return writer_.close(); }

 private:
  PacketCapture(Options options, capture::PcapngWriter writer)
      : options_(std::move(options)), writer_(std::move(writer)) {}

  bool is_seen_here(const run::TraceEvent& sighting) const;

  Options options_;
  capture::PcapngWriter writer_;
  std::vector<std::uint8_t> window_scales_;  ///< By group.
  std::int64_t written_ = 0;
  std::int64_t left_out_ = 0;
};

}  // namespace overlane::runner
