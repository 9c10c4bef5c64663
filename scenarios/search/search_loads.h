#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/load_search/search.h"
#include "results/model/run_report.h"
#include "results/report/column_table.h"
#include "scenarios/runner/load/prepare.h"

namespace overlane::search {

// `overlane search`: the largest load of datagrams that each variant of a scenario carries, and the
// report about it. results/load_search chooses the loads; a trial is one simulated run.

/// The search result of one variant.
struct VariantLoads {
  std::string name;
  model::VariantStatus status = model::VariantStatus::Ok;
  std::string reason;                              ///< Why the status is not ok.
  std::optional<load_search::SearchResult> found;  ///< Empty unless the status is ok.
};

/// The result of `overlane search`.
struct LoadReport {
  std::string scenario;
  std::string traffic;               ///< The group's name.
  std::int64_t flows = 0;            ///< Flows that share a load evenly.
  std::int64_t payload_bytes = 0;    ///< Payload of each datagram.
  std::vector<std::uint64_t> seeds;  ///< Seeds of the trials at one load, in their order.
  load_search::LoadRange range;
  std::vector<load_search::Goal> goals;
  std::string baseline;
  std::vector<VariantLoads> variants;
  std::vector<model::Assumption> assumptions;
  std::string cost_profile;
  model::Environment environment;
  Findings findings;

  /// The throughput of `variant` for a goal divided by the baseline's, in parts per million.
  /// Nothing unless both results are regular.
  std::optional<std::int64_t> ratio_ppm(const VariantLoads& variant, std::size_t goal) const;
  /// The payload rate, in bit/s, of `packets_per_second`.
  std::int64_t payload_bps(double packets_per_second) const;
};

nlohmann::ordered_json encode(const LoadReport& report);

/// A table per goal with a row per variant, and the reasons for irregular results.
std::string load_table(const LoadReport& report, report::Style style);

/// The input of `overlane search`. A trial is one simulated run of one traffic group with one seed:
/// its clients send datagrams at even intervals for the trial's duration, and there is no other
/// traffic. A datagram counts as lost if it is dropped, if its sender could not send it in time, or
/// if it arrives too late: after the trial's end plus the longest latency without load plus the
/// goals' width as a share of the trial.
struct LoadRequest {
  std::string traffic;  ///< Name of a paced udp group; empty: the only one.
  /// Goals and trials. Each trial at a load has another seed. Few short trials suffice, since a
  /// simulation is deterministic.
  load_search::GoalSet goals{.trial = milliseconds(50), .trials = 7};
  /// Packets per second of all flows together. Default minimum: ten datagrams per flow and trial.
  /// Default maximum: a rate whose payload alone fills the senders' or the receivers' NICs, which
  /// no path can carry.
  std::optional<std::int64_t> min, max;
  /// Called before each trial with the variant and the load; never by two threads at once.
  std::function<void(const std::string& variant, std::int64_t load)> on_trial = {};
};

/// Searches the loads of every variant. Variants run in parallel on `request.threads`; the result
/// does not depend on their number. After an interruption, some variants have the status not-run.
runner::Outcome<LoadReport> search_loads(const runner::Prepared& prepared,
                                         const runner::Request& request, const LoadRequest& asked);

}  // namespace overlane::search
