#include "bench/suite/import.h"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/suite/values.h"
#include "results/base/json_reader.h"
#include "results/model/run_environment.h"
#include "results/model/suite_run_json.h"

namespace overlane::suite {
namespace {

using Json = nlohmann::ordered_json;
using model::SuiteRun;

/// Google Benchmark's time of its run: "2026-11-26T18:12:34+00:00"; nothing that matters if it is
/// unreadable.
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

/// The build and the machine as Google Benchmark names them.
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

/// How each kind of result is made a run of one case.
struct Source {
  std::string_view program;  ///< Of a suite's case, whose usual metrics it gets.
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
  } catch (const Json::exception& error) {  // A field of another type than its format has.
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
