#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/finding/finding.h"
#include "results/model/run_report.h"
#include "results/report/style.h"
#include "topologies/path/needed.h"
#include "topologies/path/question.h"
#include "topologies/path/without.h"

namespace overlane::path {

// The result of `overlane trace` as text, as JSON and as pcapng for Wireshark. A report owns all
// its values.

/// The result of `overlane trace`.
struct TraceReport {
  std::string shoot;  ///< "namespace/name".
  ResolvedQuestion asked;
  std::vector<Change> without;  ///< Entries removed from the states before the trace.
  Trace trace;
  std::optional<Needed> needed;  ///< If the packet was not delivered.
  /// The condition of the outcome, as a clause: if a route on the path is only assumed, or if
  /// admission would change the shoot so that other nodes are reached; empty: no condition.
  std::string condition;
  std::vector<model::Assumption> assumptions;  ///< Assumptions of the states, but not of timing.
  Findings findings;                           ///< About the documents and the states.

  /// `findings` and those of the question.
  Findings all_findings() const;
};

/// Traces the requested packet through the states of `shoot`.
TraceReport report(const compile::Compiled& states, const effective::EffectiveDataplane& shoot,
                   ResolvedQuestion asked);

/// The JSON document: `hops[]`, `outcome` (delivered, dropped or answer-dropped),
/// `condition` (null without one), `first_failing_gate` (null if delivered), `needed`, `packets[]`,
/// `packets_out[]`, `legs[]`, the requested packet, the removed entries, `assumptions[]` and
/// findings.
nlohmann::ordered_json encode(const TraceReport& report);

/// The `hops[]` of the JSON document.
nlohmann::ordered_json encode(const std::vector<Hop>& hops);

/// Text: the outcome, the findings, the numbered hops with their entries, then the assumptions.
std::string print(const TraceReport& report, report::Style style = report::Style::Plain);

/// Writes the bytes of each leg as pcapng, as `tcpdump -i any` would: an interface for each device,
/// the leg's number as the time in microseconds, and the hop that led there as the packet's
/// comment.
Result<void> write_legs(const std::string& file, const Trace& trace);

/// "delivered", "dropped" or "answer-dropped".
std::string_view outcome_of(const Trace& trace);

}  // namespace overlane::path
