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

namespace overlane::load_search {

// `overlane search`: the largest load of datagrams that each variant of a scenario carries, and the
// report about it. results/load_search chooses the loads; a trial is one simulated run.

/// What was found for one variant.
struct VariantLoads {
  std::string name;
  model::VariantStatus status = model::VariantStatus::Ok;
  std::string reason;                         ///< Why the status is not ok.
  std::optional<search::SearchResult> found;  ///< Empty unless the status is ok.
};

/// The result of `overlane search`.
struct LoadReport {
  std::string scenario;
  std::string traffic;               ///< The group's name.
  std::int64_t flows = 0;            ///< Flows that share a load evenly.
  std::int64_t payload_bytes = 0;    ///< Payload of each datagram.
  std::vector<std::uint64_t> seeds;  ///< Seeds of the trials at one load, in their order.
  search::LoadRange range;
  std::vector<search::Goal> goals;
  std::string baseline;
  std::vector<VariantLoads> variants;
  std::vector<model::Assumption> assumptions;
  std::string cost_profile;
  model::Environment environment;
  Findings findings;

  /// What `variant` gets of a goal, over what the baseline gets, in parts per million. Nothing
  /// unless both results are regular.
  std::optional<std::int64_t> ratio_ppm(const VariantLoads& variant, std::size_t goal) const;
  /// Payload of so many packets per second.
  std::int64_t payload_bps(double packets_per_second) const;
};

nlohmann::ordered_json encode(const LoadReport& report);

/// A table for each goal with a row per variant, and why results are irregular.
std::string load_table(const LoadReport& report, report::Style style);

/// What `overlane search` is asked for. A trial is one simulated run of one traffic group alone
/// with one seed: its clients send datagrams at even intervals for the trial's duration, and
/// nothing else is sent. Lost is what was dropped, what its sender could not send in time, and what
/// is later than without load by more than the goals' width of the trial.
struct LoadRequest {
  std::string traffic;  ///< Name of a paced udp group; empty: the only one.
  /// Each trial at a load has another seed. They are few and short: a simulation repeats itself.
  search::GoalSet goals{.trial = milliseconds(50), .trials = 7};
  /// Packets per second of all flows together. By default from ten datagrams per flow and trial to
  /// what the senders' or the receivers' NICs carry of payload alone, which no path can.
  std::optional<std::int64_t> min, max;
  /// Is called before each trial with the variant and the load; never by two threads at once.
  std::function<void(const std::string& variant, std::int64_t load)> on_trial = {};
};

/// Searches the loads of every variant. Variants run in parallel on `request.threads`; the result
/// does not depend on it. An interrupted search has variants that are not run.
runner::Outcome<LoadReport> search_loads(const runner::Prepared& prepared,
                                         const runner::Request& request, const LoadRequest& asked);

}  // namespace overlane::load_search
