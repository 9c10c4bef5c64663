#include "results/stats/judge_json.h"

#include <nlohmann/json.hpp>

#include "results/model/run_environment.h"
#include "results/model/suite_run.h"

namespace overlane::stats {

namespace {

using Json = nlohmann::ordered_json;

Json figure_or_null(const std::optional<model::Figure>& figure) {
  return figure ? model::encode_figure(*figure) : Json(nullptr);
}

Json encode_metric(const MetricJudgement& judged) {
  Json json{{"case", judged.case_name},
            {"owner", judged.owner},
            {"metric", judged.metric.name},
            {"unit", judged.metric.unit},
            {"better", to_string(judged.metric.better)},
            {"tolerance", to_string(judged.metric.tolerance)},
            {"verdict", to_string(judged.verdict)},
            {"base", figure_or_null(judged.base)},
            {"changed", figure_or_null(judged.changed)}};
  json["ratio"] = json["ratio_low"] = json["ratio_high"] = nullptr;
  if (judged.ratio) {
    json["ratio"] = judged.ratio->value;
    json["ratio_low"] = judged.ratio->low;
    json["ratio_high"] = judged.ratio->high;
  }
  json["limit"] = judged.limit;
  json["reason"] = judged.reason;
  return json;
}

Json step_or_null(const std::optional<double>& step) {
  return step ? Json(*step) : Json(nullptr);
}

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

Json encode_run(const model::SuiteRun& run) {
  return {{"id", run.id},
          {"suite", run.suite},
          {"started_ms", run.started_ms},
          {"environment", model::encode(run.environment)}};
}

Json encode(const Judgement& judgement, const model::SuiteRun& base,
            const model::SuiteRun& changed) {
  Json json{{"schema_version", 1},
            {"kind", "Comparison"},
            {"verdict", judgement.any_regression() ? "regression" : "clean"},
            {"base", encode_run(base)},
            {"changed", encode_run(changed)},
            {"metrics", Json::array()},
            {"problems", Json::array()}};
  for (const MetricJudgement& judged : judgement.metrics)
    json["metrics"].push_back(encode_metric(judged));
  for (const CaseProblem& problem : judgement.problems)
    json["problems"].push_back({{"case", problem.case_name},
                                {"owner", problem.owner},
                                {"in_base", problem.in_base},
                                {"status", to_string(problem.status)},
                                {"reason", problem.reason},
                                {"is_regression", problem.is_regression}});
  return json;
}

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
