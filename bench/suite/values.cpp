#include "bench/suite/values.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/json_reader.h"
#include "results/base/text.h"
#include "results/model/run_environment.h"
#include "results/model/suite_run.h"

namespace overlane::suite {

namespace {

using Json = nlohmann::ordered_json;

std::string joined(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + '/' + key;
}

/// The name of a list item in paths.
std::string name_of(const Json& item, std::size_t number) {
  if (item.is_object()) {
    const auto name = item.find("name");
    if (name != item.end() && name->is_string()) return name->get<std::string>();
  }
  return std::to_string(number);
}

/// The figure of a JSON value. Nothing for null, true and false.
std::optional<model::Figure> figure_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
    return json.get<double>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float() && std::isfinite(json.get<double>())) return json.get<double>();
  return std::nullopt;
}

void collect(const Json& json, const std::string& path, std::vector<NamedFigure>& values) {
  if (json.is_object()) {
    for (const auto& [key, member] : json.items())
      collect(member, joined(path, key), values);
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i)
      collect(json[i], joined(path, name_of(json[i], i)), values);
  } else if (const auto figure = figure_of(json)) {
    values.push_back({path, *figure});
  }
}

/// Adds the time per packet-hop of each variant that ran.
void derive_hop_times(const Json& report, std::vector<NamedFigure>& values) {
  for (const Json& variant : report.value("variants", Json::array())) {
    const Json engine = variant.value("engine", Json());
    if (!engine.is_object()) continue;
    const double hops = engine.value("packet_hops", 0.0);
    const double loop_seconds = engine.value("loop_seconds", 0.0);
    if (hops > 0)
      values.push_back({fmt::format("variants/{}/engine/ns_per_packet_hop",
                                    variant.value("name", std::string())),
                        loop_seconds * 1e9 / hops});
  }
}

/// Nanoseconds per unit of Google Benchmark's `time_unit`.
double nanoseconds_of(const std::string& unit) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  for (const auto& [name, nanoseconds] : kUnits)
    if (name == unit) return nanoseconds;
  return 1;
}

/// Whether a field of a benchmark's row is not a counter.
bool is_about_the_run(const std::string& key) {
  for (const std::string_view known :
       {"family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads",
        "iterations", "real_time", "cpu_time"})
    if (key == known) return true;
  return false;
}

/// A benchmark's name without the options that Google Benchmark appends, which do not identify the
/// measured function: "push/ipip/1/iterations:401/manual_time".
std::string without_options(std::string name) {
  for (const std::string_view option :
       {"/iterations:", "/repeats:", "/min_time:", "/min_warmup_time:", "/manual_time",
        "/process_time", "/real_time"}) {
    const std::size_t start = name.find(option);
    if (start == std::string::npos) continue;
    const std::size_t end = name.find('/', start + 1);
    name.erase(start, end == std::string::npos ? end : end - start);
  }
  return name;
}

Parsed<std::vector<NamedFigure>> benchmark_values(const Json& rows) {
  std::vector<NamedFigure> values;
  for (const Json& row : rows) {
    const std::string name =
        without_options(row.value("run_name", row.value("name", std::string())));
    if (row.value("error_occurred", false))
      return fail(fmt::format("{}: {}", name, row.value("error_message", "failed")));
    if (row.value("run_type", "iteration") != "iteration") continue;
    const double unit = nanoseconds_of(row.value("time_unit", "ns"));
    for (const char* time : {"cpu_time", "real_time"})
      if (const auto found = row.find(time); found != row.end() && found->is_number())
        values.push_back({fmt::format("{}/{}_ns", name, time), found->get<double>() * unit});
    for (const auto& [key, counter] : row.items())
      if (counter.is_number() && !is_about_the_run(key))
        if (const auto figure = figure_of(counter)) values.push_back({joined(name, key), *figure});
  }
  return values;
}

}  // namespace

Parsed<std::vector<NamedFigure>> values_of(const Json& result) {
  if (!result.is_object()) return fail("the result is no JSON object");
  const auto benchmarks = result.find("benchmarks");
  try {
    if (benchmarks != result.end() && benchmarks->is_array() && result.contains("context"))
      return benchmark_values(*benchmarks);
    std::vector<NamedFigure> values;
    collect(result, "", values);
    if (result.value("kind", "") == "RunReport") derive_hop_times(result, values);
    return values;
  } catch (
      const Json::exception& error) {  // A field does not have the type that its format requires.
    return fail(std::string("the result is not in its format: ") + error.what());
  }
}

namespace {

bool matches(const MetricPattern& pattern, const std::string& name) {
  const bool counts = pattern.tolerance == model::Tolerance::Instructions;
  return counts == (name == kInstructions) && matches_pattern(name, pattern.value);
}

model::MeasuredMetric& metric_named(const std::string& name, const MetricPattern& pattern,
                                    std::vector<model::MeasuredMetric>& metrics) {
  const auto known = std::ranges::find(
      metrics, name, [](const model::MeasuredMetric& m) { return m.metric.name; });
  if (known != metrics.end()) return *known;
  return metrics.emplace_back(model::MeasuredMetric{.metric = {.name = name,
                                                               .unit = pattern.unit,
                                                               .better = pattern.better,
                                                               .tolerance = pattern.tolerance},
                                                    .samples = {}});
}

}  // namespace

void collect(const std::vector<NamedFigure>& values, std::int64_t round,
             std::span<const MetricPattern> patterns, std::vector<model::MeasuredMetric>& metrics) {
  for (const NamedFigure& value : values) {
    const auto pattern = std::ranges::find_if(
        patterns, [&](const MetricPattern& one) { return matches(one, value.name); });
    if (pattern == patterns.end()) continue;
    metric_named(value.name, *pattern, metrics)
        .samples.push_back({.round = round, .value = value.figure});
  }
}

std::vector<std::string> unmatched(std::span<const MetricPattern> patterns,
                                   const std::vector<model::MeasuredMetric>& metrics) {
  std::vector<std::string> values;
  for (const MetricPattern& pattern : patterns)
    if (std::ranges::none_of(metrics, [&](const model::MeasuredMetric& measured) {
          return matches(pattern, measured.metric.name);
        }))
      values.push_back(pattern.value);
  return values;
}

namespace {

using Json = nlohmann::ordered_json;
using model::SuiteRun;

/// Converts the time of a run in Google Benchmark's JSON ("2026-11-26T18:12:34+00:00") to
/// milliseconds since 1970. Returns 0 if the date is unreadable.
std::int64_t unix_ms_of(const std::string& date) {
  std::tm time{};
  std::istringstream text(date);
  char sign = '+';
  int hours = 0, minutes = 0;
  char colon = ':';
  if (!(text >> std::get_time(&time, "%Y-%m-%dT%H:%M:%S"))) return 0;
  text >> sign >> hours >> colon >> minutes;
  const std::int64_t offset = (hours * 60 + minutes) * std::int64_t{60};
  return (timegm(&time) - (sign == '-' ? -offset : offset)) * 1000;
}

/// The build and the machine as named by Google Benchmark.
model::Environment environment_of_context(const Json& context) {
  return {.overlane_version = "unknown",
          .commit = context.value("commit", "unknown"),  // --benchmark_context=commit=…
          .compiler = "unknown",
          .flags = "unknown",
          .build_type = context.value("library_build_type", "unknown"),
          .cpu_model = "unknown",
          .kernel = "unknown",
          .cores = context.value("num_cpus", std::int64_t{0})};
}

/// Conversion of a kind of result into a run with one case.
struct Source {
  std::string_view program;  ///< Program whose default metrics the case gets.
  std::string case_name;
  std::int64_t started_ms = 0;
  model::Environment environment;
};

Parsed<Source> source_of(const Json& result, const std::string& name) {
  if (result.contains("benchmarks") && result.contains("context")) {
    const Json& context = result["context"];
    return Source{.program = "benchmark",
                  .case_name = std::filesystem::path(context.value("executable", name)).filename(),
                  .started_ms = unix_ms_of(context.value("date", "")),
                  .environment = environment_of_context(context)};
  }
  const std::string kind = result.value("kind", "");
  if (kind != "RunReport" && kind != "FastpathReport")
    return fail(kind.empty()
                    ? std::string("it is none of SuiteRun, RunReport, FastpathReport and "
                                  "Google Benchmark's JSON")
                    : fmt::format("documents of kind {} have no metrics of a suite", kind));
  auto environment = read_json(result, [](const JsonReader& json) {
    return model::decode_environment(json["environment"]);
  });
  if (!environment) return fail(environment.error());
  const bool is_run = kind == "RunReport";
  return Source{.program = is_run ? "scenario" : "fastpath",
                .case_name = is_run ? result.value("scenario", name) : name,
                .environment = *std::move(environment)};
}

Parsed<SuiteRun> run_of_result(const Json& result, const std::string& name) {
  auto source = source_of(result, name);
  if (!source) return fail(source.error());
  const auto values = values_of(result);
  if (!values) return fail(values.error());
  model::CaseRun one{.name = source->case_name, .owner = "imported"};
  const auto patterns = usual_metrics(source->program);
  collect(*values, 0, patterns, one.metrics);
  return SuiteRun{.id = name,
                  .suite = source->case_name,
                  .started_ms = source->started_ms,
                  .ended_ms = source->started_ms,
                  .state = model::RunState::Complete,
                  .environment = std::move(source->environment),
                  .cases = {std::move(one)}};
}

}  // namespace

Parsed<std::vector<SuiteRun>> import_runs(std::string_view text, const std::string& name) {
  if (text.find_first_not_of(" \n\r\t") == std::string_view::npos) return fail("it holds nothing");
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) return model::read_suite_run_lines(text);
  if (!document.is_object()) return fail("it is no JSON object");
  try {
    if (document.value("kind", "") == "SuiteRun") {
      auto run = model::decode_suite_run(document);
      if (!run) return fail(run.error());
      return std::vector{*std::move(run)};
    }
    auto run = run_of_result(document, name);
    if (!run) return fail(run.error());
    return std::vector{*std::move(run)};
  } catch (
      const Json::exception& error) {  // A field does not have the type that its format requires.
    return fail(std::string("it is not in its format: ") + error.what());
  }
}

Parsed<std::vector<SuiteRun>> import_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (!(text << stream.rdbuf())) return fail(file + ": cannot be read, or is empty");
  if (text.view().starts_with("SQLite format 3"))
    return fail(file + ": a store; name it by --store, and a run in it");
  auto runs = import_runs(text.view(), file);
  if (!runs) return fail(fmt::format("{}: {}", file, runs.error()));
  return runs;
}

std::string google_benchmark_json(const SuiteRun& run) {
  constexpr std::string_view kSuffix = "_ns";
  Json benchmarks = Json::array();
  for (const model::CaseRun& one : run.cases) {
    for (const model::MeasuredMetric& measured : one.metrics) {
      std::string name = measured.metric.name;
      if (!name.ends_with(kSuffix) || !is_time(measured.metric.tolerance)) continue;
      name = one.name + '/' + name.substr(0, name.size() - kSuffix.size());
      for (std::size_t i = 0; i < measured.samples.size(); ++i) {
        const auto time = model::number_of(measured.samples[i].value).value_or(0);
        benchmarks.push_back({{"name", name},
                              {"run_name", name},
                              {"run_type", "iteration"},
                              {"repetitions", measured.samples.size()},
                              {"repetition_index", i},
                              {"threads", 1},
                              {"iterations", 1},
                              {"real_time", time},
                              {"cpu_time", time},
                              {"time_unit", "ns"}});
      }
    }
  }
  const Json document{
      {"context",
       {{"date", fmt::format("{:%Y-%m-%dT%H:%M:%S+00:00}",
                             fmt::gmtime(static_cast<std::time_t>(run.started_ms / 1000)))},
        {"executable", run.suite},
        {"num_cpus", run.environment.cores},
        {"library_build_type", run.environment.build_type},
        {"commit", run.environment.commit}}},
      {"benchmarks", std::move(benchmarks)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace overlane::suite
