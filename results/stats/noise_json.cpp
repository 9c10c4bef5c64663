#include "results/stats/noise_json.h"

#include <nlohmann/json.hpp>

#include "results/stats/judge_json.h"

namespace overlane::stats {
namespace {

using Json = nlohmann::ordered_json;

Json step_or_null(const std::optional<double>& step) {
  return step ? Json(*step) : Json(nullptr);
}

}  // namespace

Json encode(const std::vector<MetricNoise>& noise, const model::SuiteRun& run,
            std::size_t night_rounds) {
  Json json{{"schema_version", 1},
            {"kind", "NoiseReport"},
            {"run", encode_run(run)},
            {"night_rounds", night_rounds},
            {"metrics", Json::array()}};
  for (const MetricNoise& one : noise) {
    const Power& power = one.power;
    json["metrics"].push_back({{"case", one.case_name},
                               {"metric", one.metric.name},
                               {"rounds", one.rounds},
                               {"noise_floor", power.noise_floor},
                               {"false_alarms", power.false_alarms},
                               {"false_trends", power.false_trends},
                               {"found_in_a_night", step_or_null(power.found_in_a_night)},
                               {"found_in_5_nights", step_or_null(power.found_in_5_nights)},
                               {"found_in_20_nights", step_or_null(power.found_in_20_nights)}});
  }
  return json;
}

}  // namespace overlane::stats
