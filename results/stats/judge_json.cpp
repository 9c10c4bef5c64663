#include "results/stats/judge_json.h"

#include <nlohmann/json.hpp>

#include "results/model/environment_json.h"
#include "results/model/suite_run_json.h"

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

}  // namespace overlane::stats
