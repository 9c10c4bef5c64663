#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "results/model/flow_trace.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/run.h"

namespace overlane::runner {

/// One flow of a scenario.
struct FlowName {
  std::string traffic;
  std::uint32_t number = 0;

  bool operator==(const FlowName&) const = default;
};

/// The flow that `selector` names: "bulk/3", "bulk" for its first flow, or
/// "100.96.0.2->100.96.1.2", the first flow from one pod to another. An unknown flow is the error
/// `unknown-flow`; its hint lists the flows.
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
  std::map<std::uint32_t, std::int64_t>
      highest_;  ///< By end: sequence number after the last byte sent.
};

/// The name of an event in a trace: "sent", "on-wire".
std::string_view to_string(run::TracePoint stop);

}  // namespace overlane::runner
