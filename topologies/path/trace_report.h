#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/finding/result.h"
#include "results/model/run_report.h"
#include "topologies/path/needed.h"
#include "topologies/path/question.h"
#include "topologies/path/without.h"

namespace overlane::path {

/// What `overlane trace` answers.
struct TraceReport {
  std::string shoot;  ///< "namespace/name".
  Asked asked;
  std::vector<Change> without;  ///< What was taken out of the states before.
  Trace trace;
  std::optional<Needed> needed;                ///< When it did not get through.
  std::vector<model::Assumption> assumptions;  ///< Behind the states; none about time.
  Findings findings;
};

/// Follows the packet that was asked for.
TraceReport report(const compile::Compiled& states, std::string shoot, Asked asked);

/// The JSON document: `hops[]`, `outcome` (delivered, dropped or answer-dropped),
/// `first_failing_gate` (null when delivered), `needed`, `packets[]`, `packets_out[]`, `legs[]`,
/// the packet that was asked for, what was taken out, `assumptions[]` and findings.
nlohmann::ordered_json encode(const TraceReport& report);

/// A document's `hops[]`.
nlohmann::ordered_json encode(const std::vector<Hop>& hops);

/// For people: what became of the packet, then its hops by number, an entry below each that has
/// one, then what was assumed.
std::string print(const TraceReport& report);

/// Writes the bytes of each leg as pcapng, as `tcpdump -i any` would: an interface for each device,
/// the leg's number as the time in microseconds, and the hop that led there as the packet's
/// comment.
Result<void> write_legs(const std::string& file, const Trace& trace);

/// "delivered", "dropped" or "answer-dropped".
std::string_view outcome_of(const Trace& trace);

}  // namespace overlane::path
