#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/runner/measure/flow_choice.h"
#include "scenarios/runner/measure/flow_tracer.h"
#include "scenarios/runner/measure/packet_capture.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

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
    std::optional<std::uint32_t> group;  ///< Of the traced flow, in this run.
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
