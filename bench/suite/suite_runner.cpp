#include "bench/suite/suite_runner.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/suite/program.h"
#include "bench/suite/values.h"
#include "results/model/run_report_json.h"
#include "results/stats/judge.h"
#include "scenarios/spec/scenario.h"

namespace overlane::suite {
namespace {

using model::CaseRun;
using model::CaseStatus;
using model::Tolerance;
using Json = nlohmann::ordered_json;

/// callgrind's last line on standard error: "==17== Collected : 123456".
std::optional<std::int64_t> collected(std::string_view errors) {
  constexpr std::string_view kLabel = "Collected : ";
  const std::size_t found = errors.rfind(kLabel);
  if (found == std::string_view::npos) return std::nullopt;
  const std::string digits(errors.substr(found + kLabel.size(), 20));
  try {
    return std::stoll(digits);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// The values of every program, in addition to those of its result.
std::vector<NamedFigure> process_values(const ProgramRun& run) {
  return {{"process/wall_seconds", run.wall_seconds},
          {"process/user_seconds", run.user_seconds},
          {"process/system_seconds", run.system_seconds},
          {"process/peak_rss_bytes", run.peak_rss_bytes}};
}

/// The result without the parts that differ in each run, so that equal results are stored once.
/// Empty for other JSON.
std::string lasting_part(const Json& result) {
  if (!result.is_object() || !result.contains("schema_version")) return "";
  auto report = model::decode_run_report(result);
  // Results other than a RunReport contain clock times only if they have an environment.
  if (!report)
    return result.contains("environment")
               ? ""
               : result.dump(-1, ' ', false, Json::error_handler_t::replace);
  report->environment = {};
  for (model::VariantResult& variant : report->variants) {
    variant.engine.setup_seconds = 0;
    variant.engine.loop_seconds = 0;
  }
  return model::encode(*report).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The measurements of one build in a case.
class Side {
 public:
  Side(const SuiteCase& one, const std::string& build, const std::string& folder) : case_(one) {
    command_.words = one.command;
    command_.words[0] = find_program(build, one.command[0]);
    command_.folder = folder;
    command_.timeout = one.timeout;
    run_.name = one.name;
    run_.owner = one.owner;
  }

  bool is_whole() const { return run_.status == CaseStatus::Complete; }
  const CaseRun& result() const { return run_; }

  /// Runs the program once more. Returns false if stopped. A round has the best yardsticks measured
  /// around its runs, as it has the best of their times.
  bool run_once(std::size_t round, bench::Yardstick& yardstick, const std::atomic<bool>& stop) {
    keep(yardstick.measure(), round);
    const auto ran = run_program(command_, stop);
    keep(yardstick.measure(), round);
    if (!is_usable(ran)) return !stop;
    keep(*ran, static_cast<std::int64_t>(round));
    return true;
  }

  /// Runs the program once more without yardsticks. Returns false if stopped.
  bool run_without_times(const std::atomic<bool>& stop) {
    const auto ran = run_program(command_, stop);
    if (!is_usable(ran)) return !stop;
    keep(*ran, 0);
    return true;
  }

  /// Counts instructions under callgrind. Returns false if stopped.
  bool count_instructions(const std::atomic<bool>& stop) {
    Command command = command_;
    command.words.insert(command.words.begin(),
                         {"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"});
    const auto ran = run_program(command, stop);
    if (!ran) {
      end(CaseStatus::Missing, ran.error());
      return true;
    }
    if (!is_usable(ran)) return !stop;
    const auto count = collected(ran->errors);
    if (count)
      collect({{kInstructions, *count}}, 0, case_.metrics, run_.metrics);
    else
      end(CaseStatus::Failed, "callgrind printed no count");
    return true;
  }

  /// Reports patterns that no value matched.
  void finish() {
    if (!is_whole()) return;
    const auto missing = unmatched(case_.metrics, run_.metrics);
    if (!missing.empty())
      end(CaseStatus::Failed, fmt::format("no value of the result matches {}", missing.front()));
  }

 private:
  void end(CaseStatus status, std::string reason) {
    run_.status = status;
    run_.reason = std::move(reason);
  }

  /// Ends the case if the program did not run to its end.
  bool is_usable(const Parsed<ProgramRun>& ran) {
    if (!ran) {
      end(CaseStatus::Missing, ran.error());
      return false;
    }
    run_.seconds += ran->wall_seconds;
    const auto& expected = case_.exit_codes;
    if (ran->end == ProgramEnd::Exited && std::ranges::find(expected, ran->code) != expected.end())
      return true;
    const std::string problem = ran->problem();
    end(ran->end == ProgramEnd::TimedOut ? CaseStatus::TimedOut : CaseStatus::Failed, problem);
    return false;
  }

  void keep(const model::Yardsticks& measured, std::size_t round) {
    if (round == run_.rounds.size()) run_.rounds.push_back(measured);
    model::Yardsticks& best = run_.rounds.back();
    best = {.compute_ns = std::min(best.compute_ns, measured.compute_ns),
            .memory_ns = std::min(best.memory_ns, measured.memory_ns)};
  }

  void keep(const ProgramRun& ran, std::int64_t round) {
    const Json result = Json::parse(ran.output, nullptr, false);
    if (result.is_discarded()) {
      // A command whose metrics all come from its process need not print JSON.
      if (!std::ranges::all_of(case_.metrics, [](const MetricPattern& pattern) {
            return pattern.value.starts_with("process/");
          }))
        return end(CaseStatus::Failed, "it printed no JSON");
    } else {
      const auto values = values_of(result);
      if (!values) return end(CaseStatus::Failed, values.error());
      collect(*values, round, case_.metrics, run_.metrics);
      if (run_.document.empty()) run_.document = lasting_part(result);
    }
    collect(process_values(ran), round, case_.metrics, run_.metrics);
  }

  const SuiteCase& case_;
  Command command_;
  CaseRun run_;
};

/// Whether the interval of the ratio of every time is narrow enough to show a change as large as
/// the tolerance.
bool are_clear(const CaseRun& changed, const CaseRun& base) {
  return std::ranges::all_of(changed.metrics, [&](const model::MeasuredMetric& measured) {
    if (!is_time(measured.metric.tolerance)) return true;
    const model::MeasuredMetric* before = model::find_metric(base, measured.metric.name);
    if (before == nullptr) return true;
    const auto ratios = stats::round_ratios(*before, measured);
    return ratios.empty() || stats::median_estimate(ratios).half_width() <=
                                 stats::limit_of(measured.metric.tolerance) / 2;
  });
}

}  // namespace

SuiteRunner::SuiteRunner(const Suite& suite, std::vector<std::string> builds,
                         SuiteRunnerOptions options)
    : suite_(&suite), builds_(std::move(builds)), options_(std::move(options)) {}

std::optional<std::vector<CaseRun>> SuiteRunner::run(const SuiteCase& one) {
  static const std::atomic<bool> kNever = false;
  const std::atomic<bool>& stop = options_.stop == nullptr ? kNever : *options_.stop;
  std::vector<Side> sides;
  for (const std::string& build : builds_)
    sides.emplace_back(one, build, spec::folder_of(suite_->file));

  Round round{.number = 0, .min = 1, .max = 1};
  if (one.has_time()) {
    round.min = options_.rounds.min;
    round.max = sides.size() > 1 ? options_.rounds.max : options_.rounds.min;
  }
  const auto needs_another = [&] {
    if (!std::ranges::all_of(sides, &Side::is_whole) || round.number >= round.max) return false;
    return round.number < round.min || !are_clear(sides[0].result(), sides[1].result());
  };
  while (needs_another()) {
    ++round.number;
    if (options_.on_round) options_.on_round(round);
    const std::uint32_t runs = one.has_time() ? options_.rounds.runs : 1;
    for (std::uint32_t run = 0; run < runs; ++run) {
      for (std::size_t i = 0; i < sides.size(); ++i) {
        // The builds alternate in running first.
        Side& side = sides[(round.number - 1 + run) % 2 == 0 ? i : sides.size() - 1 - i];
        if (!side.is_whole()) continue;
        if (!side.run_once(round.number - 1, yardstick_, stop)) return std::nullopt;
      }
    }
  }
  std::vector<CaseRun> results;
  for (Side& side : sides) {
    if (one.has_instructions() && side.is_whole() && !side.count_instructions(stop))
      return std::nullopt;
    side.finish();
    results.push_back(side.result());
  }
  return results;
}

std::optional<CaseRun> run_once(const Suite& suite, const SuiteCase& one, const std::string& build,
                                const std::atomic<bool>& stop) {
  SuiteCase untimed = one;
  std::erase_if(untimed.metrics, [](const MetricPattern& m) { return is_time(m.tolerance); });
  Side side(untimed, build, spec::folder_of(suite.file));
  if (!side.run_without_times(stop)) return std::nullopt;
  if (untimed.has_instructions() && side.is_whole() && !side.count_instructions(stop))
    return std::nullopt;
  side.finish();
  return side.result();
}

std::string find_program(const std::string& build, const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  for (const char* place : {"", "bench"}) {
    const auto file = std::filesystem::path(build) / place / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) return std::filesystem::absolute(file);
  }
  return name;
}

}  // namespace overlane::suite
