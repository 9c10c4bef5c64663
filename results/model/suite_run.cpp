#include "results/model/suite_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <xxhash.h>

#include "results/base/json_reader.h"
#include "results/base/text.h"
#include "results/model/run_environment.h"

namespace overlane::model {

std::string_view to_string(Tolerance tolerance) {
  switch (tolerance) {
    case Tolerance::Exact:
      return "exact";
    case Tolerance::Instructions:
      return "instructions";
    case Tolerance::Time:
      return "time";
    case Tolerance::MemoryBoundTime:
      return "memory-bound-time";
  }
  return "exact";
}

std::string_view to_string(Better better) {
  switch (better) {
    case Better::Lower:
      return "lower";
    case Better::Higher:
      return "higher";
    case Better::Neither:
      return "neither";
  }
  return "neither";
}

std::string_view to_string(CaseStatus status) {
  switch (status) {
    case CaseStatus::Complete:
      return "complete";
    case CaseStatus::Failed:
      return "failed";
    case CaseStatus::TimedOut:
      return "timed-out";
    case CaseStatus::Missing:
      return "missing";
  }
  return "failed";
}

std::string_view to_string(RunState state) {
  switch (state) {
    case RunState::Running:
      return "running";
    case RunState::Complete:
      return "complete";
    case RunState::Interrupted:
      return "interrupted";
  }
  return "interrupted";
}

std::string_view to_string(RunPurpose purpose) {
  switch (purpose) {
    case RunPurpose::Judged:
      return "judged";
    case RunPurpose::Base:
      return "base";
    case RunPurpose::Noise:
      return "noise";
  }
  return "judged";
}

std::optional<double> number_of(const Figure& figure) {
  if (const auto* whole = std::get_if<std::int64_t>(&figure)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&figure)) return *number;
  return std::nullopt;
}

bool AcceptedChange::covers(const std::string& name_of_case, const std::string& name_of_metric,
                            std::string_view base_commit) const {
  return !base.empty() && base_commit.starts_with(base) &&
         matches_pattern(name_of_case, case_name) && matches_pattern(name_of_metric, metric);
}

const SuiteRun* latest_judged(const std::vector<SuiteRun>& runs) {
  const auto found =
      std::ranges::find(runs.rbegin(), runs.rend(), RunPurpose::Judged, &SuiteRun::purpose);
  return found == runs.rend() ? nullptr : &*found;
}

const SuiteRun* find_run(const std::vector<SuiteRun>& runs, std::string_view id) {
  const auto found = std::ranges::find(runs, id, &SuiteRun::id);
  return found == runs.end() ? nullptr : &*found;
}

const CaseRun* find_case(const SuiteRun& run, std::string_view name) {
  const auto found = std::ranges::find(run.cases, name, &CaseRun::name);
  return found == run.cases.end() ? nullptr : &*found;
}

const MeasuredMetric* find_metric(const CaseRun& one, std::string_view name) {
  const auto found =
      std::ranges::find(one.metrics, name, [](const MeasuredMetric& m) { return m.metric.name; });
  return found == one.metrics.end() ? nullptr : &*found;
}

const AcceptedChange* find_accepted(const SuiteRun& run, const std::string& case_name,
                                    const std::string& metric, std::string_view base_commit) {
  const auto found = std::ranges::find_if(run.accepted, [&](const AcceptedChange& change) {
    return change.covers(case_name, metric, base_commit);
  });
  return found == run.accepted.end() ? nullptr : &*found;
}

std::string digest_of(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

namespace {

using Json = nlohmann::ordered_json;

Json encode_metric(const MeasuredMetric& measured) {
  Json samples = Json::array();
  for (const Sample& sample : measured.samples)
    samples.push_back(Json::array({sample.round, encode_figure(sample.value)}));
  return {{"name", measured.metric.name},
          {"unit", measured.metric.unit},
          {"better", to_string(measured.metric.better)},
          {"tolerance", to_string(measured.metric.tolerance)},
          {"samples", std::move(samples)}};
}

/// A case without its metrics.
Json encode_case(const CaseRun& one) {
  Json rounds = Json::array();
  for (const Yardsticks& round : one.rounds)
    rounds.push_back({{"compute_ns", round.compute_ns}, {"memory_ns", round.memory_ns}});
  Json json{{"name", one.name},     {"owner", one.owner},     {"status", to_string(one.status)},
            {"reason", one.reason}, {"seconds", one.seconds}, {"yardsticks", std::move(rounds)}};
  json["document"] = nullptr;
  if (!one.document.empty()) json["document"] = Json::parse(one.document, nullptr, false);
  return json;
}

AcceptedChange decode_accepted(const JsonReader& json) {
  return {.case_name = json["case"].string(),
          .metric = json["metric"].string(),
          .base = json["base"].string(),
          .reason = json["reason"].string()};
}

/// A run without its cases.
Json encode_run(const SuiteRun& run) {
  return {{"schema_version", kSuiteRunVersion},
          {"kind", "SuiteRun"},
          {"id", run.id},
          {"suite", run.suite},
          {"suite_digest", run.suite_digest},
          {"started_ms", run.started_ms},
          {"ended_ms", run.ended_ms ? Json(*run.ended_ms) : Json(nullptr)},
          {"state", to_string(run.state)},
          {"beside", run.beside.empty() ? Json(nullptr) : Json(run.beside)},
          {"purpose", to_string(run.purpose)},
          {"shard", run.shard.empty() ? Json(nullptr) : Json(run.shard)},
          {"environment", encode(run.environment)},
          {"accepted", encode(run.accepted)}};
}

Figure decode_figure(const JsonReader& json) {
  if (json.json().is_string()) return json.string();
  if (json.json().is_number_integer()) return json.integer();
  return json.number();
}

Sample decode_sample(const JsonReader& json) {
  const auto pair = json.items();
  if (pair.size() == 2) return {.round = pair[0].integer(), .value = decode_figure(pair[1])};
  json.fault("not a pair of round and value");
  return {};
}

MeasuredMetric decode_metric(const JsonReader& json) {
  return {.metric = {.name = json["name"].string(),
                     .unit = json["unit"].string(),
                     .better = json["better"].word(kBetter),
                     .tolerance = json["tolerance"].word(kTolerances)},
          .samples = json["samples"].list(decode_sample)};
}

Yardsticks decode_yardsticks(const JsonReader& json) {
  return {.compute_ns = json["compute_ns"].number(), .memory_ns = json["memory_ns"].number()};
}

CaseRun decode_case(const JsonReader& json) {
  using enum CaseStatus;
  const auto document = json.maybe("document");
  return {.name = json["name"].string(),
          .owner = json["owner"].string(),
          .status = json["status"].word({Complete, Failed, TimedOut, Missing}),
          .reason = json["reason"].string(),
          .seconds = json["seconds"].number(),
          .rounds = json["yardsticks"].list(decode_yardsticks),
          .metrics = json.maybe_list("metrics", decode_metric),
          .document = document ? document->json().dump() : ""};
}

SuiteRun decode_run(const JsonReader& json) {
  const auto ended = json.maybe("ended_ms");
  const auto beside = json.maybe("beside");
  const auto shard = json.maybe("shard");
  return {
      .id = json["id"].string(),
      .suite = json["suite"].string(),
      .suite_digest = json["suite_digest"].string(),
      .started_ms = json["started_ms"].integer(),
      .ended_ms = ended ? std::optional(ended->integer()) : std::nullopt,
      .state = json["state"].word({RunState::Running, RunState::Complete, RunState::Interrupted}),
      .beside = beside ? beside->string() : "",
      .purpose = json["purpose"].word({RunPurpose::Judged, RunPurpose::Base, RunPurpose::Noise}),
      .shard = shard ? shard->string() : "",
      .environment = decode_environment(json["environment"]),
      .accepted = decode_accepted_changes(json["accepted"]),
      .cases = json.maybe_list("cases", decode_case)};
}

/// Adds the content of a line to the runs read so far.
Parsed<void> read_line(const Json& line, std::vector<SuiteRun>& runs) {
  if (line.is_object() && line.contains("kind")) {
    auto run = decode_suite_run(line);
    if (!run) return fail(run.error());
    runs.push_back(*std::move(run));
    return {};
  }
  if (runs.empty()) return fail("the first line is no SuiteRun");
  SuiteRun& run = runs.back();
  std::string problem;
  const JsonReader json(line, problem);
  if (const auto one = json.maybe("case")) {
    run.cases.push_back(decode_case(*one));
  } else {
    MeasuredMetric measured = decode_metric(json["metric"]);
    if (problem.empty() && run.cases.empty()) return fail("a metric before its case");
    if (problem.empty()) run.cases.back().metrics.push_back(std::move(measured));
  }
  if (!problem.empty()) return fail(std::move(problem));
  return {};
}

}  // namespace

nlohmann::ordered_json encode_figure(const Figure& figure) {
  return std::visit([](const auto& value) { return Json(value); }, figure);
}

nlohmann::ordered_json encode(const std::vector<AcceptedChange>& accepted) {
  Json json = Json::array();
  for (const AcceptedChange& change : accepted)
    json.push_back({{"case", change.case_name},
                    {"metric", change.metric},
                    {"base", change.base},
                    {"reason", change.reason}});
  return json;
}

std::vector<AcceptedChange> decode_accepted_changes(const JsonReader& json) {
  return json.list(decode_accepted);
}

nlohmann::ordered_json encode(const SuiteRun& run) {
  Json json = encode_run(run);
  json["cases"] = Json::array();
  for (const CaseRun& one : run.cases) {
    json["cases"].push_back(encode_case(one));
    Json& metrics = json["cases"].back()["metrics"] = Json::array();
    for (const MeasuredMetric& metric : one.metrics)
      metrics.push_back(encode_metric(metric));
  }
  return json;
}

Parsed<SuiteRun> decode_suite_run(const nlohmann::ordered_json& document) {
  if (auto wrong = wrong_kind(document, "SuiteRun", kSuiteRunVersion))
    return fail(*std::move(wrong));
  return read_json(document, decode_run);
}

std::string suite_run_lines(const SuiteRun& run) {
  const auto line = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  };
  std::string lines = line(encode_run(run));
  for (const CaseRun& one : run.cases) {
    lines += line({{"case", encode_case(one)}});
    for (const MeasuredMetric& metric : one.metrics)
      lines += line({{"metric", encode_metric(metric)}});
  }
  return lines;
}

Parsed<std::vector<SuiteRun>> read_suite_run_lines(std::string_view lines) {
  std::vector<SuiteRun> runs;
  for (int number = 1; !lines.empty(); ++number) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (line.empty()) continue;
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded()) return fail(fmt::format("line {}: no JSON", number));
    if (auto read = read_line(json, runs); !read)
      return fail(fmt::format("line {}: {}", number, read.error()));
  }
  return runs;
}

}  // namespace overlane::model
