#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/capture/capture_file.h"
#include "scenarios/runner/load/request.h"
#include "scenarios/runner/measure/flow_tracer.h"
#include "scenarios/runner/plan/plan.h"
#include "sim/run/inputs/run_options.h"
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

/// Traces and captures of the first repetition of each variant.
class Observation {
 public:
  /// Opens the files. An unknown flow is a Failure::Kind::Usage, a file that cannot be created a
  /// NotWritten. Does not keep references to `plan`.
  static Outcome<std::unique_ptr<Observation>> create(const Plan& plan,
                                                      const PacketRequest& request);

  /// The packet observer of a run; null: none.
  const run::TraceOptions* trace_of(std::size_t run) const;

  /// The traces, in the order of the runs. `findings` gets notes about truncation; a write error is
  /// a failure.
  Outcome<std::vector<model::FlowTrace>> finish(Findings& findings);

 private:
  /// The observation of one run.
  struct Observed {
    std::optional<std::uint32_t> group;  ///< Group of the traced flow in this run.
    std::uint32_t flow = 0;
    std::optional<FlowTracer> tracer;
    std::optional<PacketCapture> capture;
    std::uint32_t sample = 1;  ///< Every n-th flow is captured, and the first of each group.
    std::uint64_t seed = 1;
    run::TraceOptions trace;

    bool is_traced(std::uint32_t of_group, std::uint32_t number) const {
      return group == of_group && flow == number;
    }
    bool is_captured(std::uint32_t of_group, std::uint32_t number) const;
    run::TraceOptions trace_options();
  };
  static Result<std::unique_ptr<Observed>> observe(const Plan& plan, const PlannedRun& run,
                                                   const PacketRequest& request,
                                                   const std::optional<FlowName>& traced);

  std::vector<std::unique_ptr<Observed>> runs_;  ///< By run; null without an observer.
};

/// "run.pcapng" and "ipip" → "run-ipip.pcapng"; invalid characters become '-'.
std::string file_for(const std::string& file, const std::string& part);

}  // namespace overlane::runner
