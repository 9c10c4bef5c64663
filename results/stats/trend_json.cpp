#include "results/stats/trend_json.h"

#include <nlohmann/json.hpp>

#include "results/stats/judge_json.h"

namespace overlane::stats {
namespace {

using Json = nlohmann::ordered_json;

Json encode_trend(const MetricTrend& trend, const std::vector<model::SuiteRun>& runs) {
  Json json{{"case", trend.case_name},
            {"owner", trend.owner},
            {"metric", trend.metric.name},
            {"better", to_string(trend.metric.better)},
            {"tolerance", to_string(trend.metric.tolerance)},
            {"of", to_string(trend.of)},
            {"verdict", to_string(trend.verdict)},
            {"ratio", trend.ratio},
            {"is_drift", trend.is_drift},
            {"left_out", trend.left_out},
            {"points", Json::array()},
            {"spikes", Json::array()},
            {"steps", Json::array()}};
  for (const TrendPoint& point : trend.points)
    json["points"].push_back({{"run", runs[point.run].id}, {"value", point.value}});
  for (const std::size_t spike : trend.spikes)
    json["spikes"].push_back(runs[trend.points[spike].run].id);
  for (const TrendStep& step : trend.steps)
    json["steps"].push_back({{"before", runs[step.before].id},
                             {"after", runs[step.after].id},
                             {"ratio", step.ratio},
                             {"is_worse", step.is_worse}});
  return json;
}

}  // namespace

Json encode(const std::vector<MetricTrend>& trends, const std::vector<model::SuiteRun>& runs) {
  Json json{{"schema_version", 1}, {"kind", "Trends"}};
  json["runs"] = Json::array();
  for (const model::SuiteRun& run : runs)
    if (run.purpose == model::RunPurpose::Judged) json["runs"].push_back(encode_run(run));
  json["trends"] = Json::array();
  for (const MetricTrend& trend : trends)
    json["trends"].push_back(encode_trend(trend, runs));
  return json;
}

}  // namespace overlane::stats
