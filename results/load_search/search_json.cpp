#include "results/load_search/search_json.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace overlane::search {
namespace {

nlohmann::ordered_json or_null(const std::optional<std::int64_t>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

nlohmann::ordered_json encode(const GoalResult& result) {
  const Goal& goal = result.goal;
  nlohmann::ordered_json json{{"name", goal.name},
                              {"loss_ratio", goal.loss_ratio},
                              {"exceed_ratio", goal.exceed_ratio},
                              {"width", goal.width},
                              {"trial_ns", goal.trial.whole_nanoseconds()},
                              {"duration_sum_ns", goal.duration_sum.whole_nanoseconds()},
                              {"ending", to_string(result.ending)}};
  json["lower_bound_pps"] = or_null(result.lower_bound);
  json["upper_bound_pps"] = or_null(result.upper_bound);
  json["conditional_throughput_pps"] = nullptr;
  if (result.conditional_throughput)
    json["conditional_throughput_pps"] = std::llround(*result.conditional_throughput);
  return json;
}

nlohmann::ordered_json encode(const SearchResult& result) {
  nlohmann::ordered_json json{{"goals", nlohmann::ordered_json::array()},
                              {"trials", result.trial_count()},
                              {"trials_ns", result.duration().whole_nanoseconds()},
                              {"loads", nlohmann::ordered_json::array()}};
  for (const GoalResult& goal : result.goals)
    json["goals"].push_back(encode(goal));
  for (const auto& [load, trials] : result.trials) {
    nlohmann::ordered_json one{{"pps", load}, {"trials", nlohmann::ordered_json::array()}};
    for (const Trial& trial : trials) {
      one["trials"].push_back({{"duration_ns", trial.duration.whole_nanoseconds()},
                               {"offered", trial.offered},
                               {"forwarded", trial.forwarded}});
    }
    json["loads"].push_back(std::move(one));
  }
  return json;
}

std::string irregularity(const GoalResult& result, const LoadRange& range) {
  switch (result.ending) {
    case Ending::Regular:
      return "";
    case Ending::HoldsAtMax:
      return fmt::format("the maximum load of {} packets/s reaches the goal; raise --max",
                         range.max);
    case Ending::FailsAtMin:
      return fmt::format("the minimum load of {} packets/s does not reach the goal; lower --min",
                         range.min);
    case Ending::TrialLimit:
      return "the trials scatter too much: the search ended at its limit of trials";
  }
  return "";
}

}  // namespace overlane::search
