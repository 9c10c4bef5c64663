#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/load_search/search.h"
#include "results/model/run_report.h"
#include "results/report/column_table.h"

namespace overlane::load_search {

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

}  // namespace overlane::load_search
