#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/capture/capture_file.h"
#include "results/finding/finding.h"
#include "results/model/flow_trace.h"
#include "scenarios/runner/load/request.h"
#include "scenarios/runner/plan/plan.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/inputs/traffic_group.h"
#include "sim/run/run.h"

namespace overlane::runner {

// Observation of single packets during runs: the trace of one flow, and captures in files. An
// Observation decides which packets of which run are observed. It owns the tracers and the files.

/// One flow of a scenario.
struct FlowName {
  std::string traffic;
  std::uint32_t number = 0;

  bool operator==(const FlowName&) const = default;
};

/// Returns the flow that `selector` names: "bulk/3", "bulk" for the first flow of this group, or
/// "100.96.0.2->100.96.1.2" for the first flow from one pod to another. An unknown flow is the
/// error `unknown-flow`, whose hint lists the flows.
Result<FlowName> choose_flow(const std::vector<run::TrafficGroup>& traffic,
                             const std::string& selector);

/// Builds the trace of one flow from its events.
class FlowTracer {
 public:
  /// Keeps the first `limit` lines. `nodes` are the nodes' names.
  FlowTracer(model::FlowTrace trace, std::size_t limit, std::vector<std::string> nodes)
      : trace_(std::move(trace)), limit_(limit), nodes_(std::move(nodes)) {}

  void see(const run::TraceEvent& sighting);

  const model::FlowTrace& trace() const { return trace_; }

 private:
  std::string place_of(const run::TraceEvent& sighting) const;
  model::TracedTcp tcp_of(const run::TraceEvent& sighting);
  void add_leg(const run::TraceEvent& sighting, std::string_view event, const std::string& place);

  model::FlowTrace trace_;
  std::size_t limit_;
  std::vector<std::string> nodes_;
  /// By end of the flow: sequence number after the last byte sent.
  std::map<std::uint32_t, std::int64_t> highest_;
};

/// Returns the name of an event in a trace: "sent", "on-wire".
std::string_view to_string(run::TracePoint stop);

/// Writes the packets of one run at one place to a pcapng file. Timestamps are simulated time since
/// 1970. At `Wire` it captures packets with outer headers when they leave a node's NIC, with one
/// interface per node. At `Pod` it captures packets sent and received on the veth of the pod that
/// started the flow.
class PacketCapture {
 public:
  struct Options {
    std::string file;
    CapturePlace place = CapturePlace::Wire;
    std::int64_t limit = 0;  ///< Packets.
    std::uint64_t seed = 1;  ///< Seed of initial sequence numbers.
  };
  /// Creates the file. `traffic` is the traffic of the run. If the file cannot be created, the
  /// error names it.
  static Result<PacketCapture> create(Options options, const std::vector<std::string>& nodes,
                                      const std::vector<run::TrafficGroup>& traffic);

  void see(const run::TraceEvent& sighting);

  /// Number of packets beyond the limit, which were not written.
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
  std::vector<std::uint8_t> window_scales_;  ///< By traffic group.
  std::int64_t written_ = 0;
  std::int64_t left_out_ = 0;
};

/// Traces and captures of the first repetition of each variant.
class Observation {
 public:
  /// Opens the files. Fails with Failure::Kind::Usage for an unknown flow, and with NotWritten for
  /// a file that cannot be created. Does not keep references to `plan`.
  static Outcome<std::unique_ptr<Observation>> create(const Plan& plan,
                                                      const PacketRequest& request);

  /// Returns the packet observer of a run, or null if the run has none.
  const run::TraceOptions* trace_of(std::size_t run) const;

  /// Closes the files and returns the traces, in the order of the runs. Adds notes about truncation
  /// to `findings`. Fails on a write error.
  Outcome<std::vector<model::FlowTrace>> finish(Findings& findings);

 private:
  /// The observation of one run.
  struct Observed {
    std::optional<std::uint32_t> group;  ///< Group of the traced flow in this run.
    std::uint32_t flow = 0;
    std::optional<FlowTracer> tracer;
    std::optional<PacketCapture> capture;
    std::uint32_t sample = 1;  ///< Every n-th flow and the first flow of each group are captured.
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

  std::vector<std::unique_ptr<Observed>> runs_;  ///< By run; null for a run without an observer.
};

/// Returns a file name with a suffix: "run.pcapng" and "ipip" give "run-ipip.pcapng". Invalid
/// characters become '-'.
std::string file_for(const std::string& file, const std::string& part);

}  // namespace overlane::runner
