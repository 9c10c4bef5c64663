#include "tools/overlane/verbs/suite_runs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <ranges>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bench/suite/program.h"
#include "bench/suite/suite.h"
#include "bench/suite/suite_runner.h"
#include "bench/suite/values.h"
#include "results/stats/judge.h"
#include "results/stats/noise.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"

namespace overlane::command {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::filesystem::path usual_store() {
  if (const std::string state = variable("XDG_STATE_HOME"); state.starts_with('/'))
    return std::filesystem::path(state) / "overlane/results.sqlite";
  return std::filesystem::path(variable("HOME")) / ".local/state/overlane/results.sqlite";
}

/// The error for a name with a scheme other than file:, which is a database that this program does
/// not support. Empty for other names.
std::string unknown_scheme(const std::string& file) {
  const std::size_t end = file.find("://");
  return end == std::string::npos || file.starts_with("file:")
             ? ""
             : fmt::format("\"{}\" is no store: only files of SQLite are, by path or file: URI",
                           file);
}

}  // namespace

void add_store_option(CLI::App& verb, std::string& file) {
  verb.add_option("--store", file,
                  "The SQLite file with the results (default: $OVERLANE_STORE, or "
                  "~/.local/state/overlane/results.sqlite)")
      ->type_name("FILE")
      ->check(CLI::Validator(unknown_scheme, ""));
}

std::string store_file(const std::string& given) {
  if (!given.empty()) return given;
  const std::string from_environment = variable("OVERLANE_STORE");
  return from_environment.empty() ? usual_store().string() : from_environment;
}

Result<store::Store, ExitCode> open_store(const std::string& file, store::Store::Use use) {
  const std::string name = store_file(file);
  const std::filesystem::path usual = usual_store();
  std::error_code ignored;  // Errors are reported by opening the store.
  if (use == store::Store::Use::Write && name == usual.string())
    std::filesystem::create_directories(usual.parent_path(), ignored);
  auto opened = store::Store::open(name, use);
  if (opened) return *std::move(opened);
  return fail(end_with(ExitCode::NoInput, opened.error()));
}

namespace {

using model::SuiteRun;

Result<SuiteRun, ExitCode> refuse(const std::string& why) {
  return fail(end_with(ExitCode::NoInput, why));
}

Result<SuiteRun, ExitCode> read_run(const std::string& file) {
  const auto runs = suite::import_file(file);
  if (!runs) return refuse(runs.error());
  if (runs->size() == 1) return runs->front();
  return refuse(fmt::format("{}: holds {} runs; `overlane store import` takes them into a store",
                            file, runs->size()));
}

/// N in "latest~N"; 0 for "latest".
std::optional<std::size_t> steps_back(std::string_view text) {
  constexpr std::string_view kLatest = "latest";
  if (!text.starts_with(kLatest)) return std::nullopt;
  text.remove_prefix(kLatest.size());
  if (text.empty()) return 0;
  std::size_t steps = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + 1, end, steps);
  return text[0] == '~' && error == std::errc{} && rest == end ? std::optional(steps)
                                                               : std::nullopt;
}

/// The id of the run to which `text` refers, or an error. `runs`: the oldest first.
Parsed<std::string> choose(const std::string& text, const std::vector<SuiteRun>& runs) {
  std::vector<const SuiteRun*> complete;
  for (const SuiteRun& run : runs)
    if (run.state == model::RunState::Complete && run.purpose == model::RunPurpose::Judged)
      complete.push_back(&run);
  if (const auto steps = steps_back(text)) {
    if (*steps < complete.size()) return complete[complete.size() - 1 - *steps]->id;
    return fail(fmt::format("there are {} complete runs, so no {}", complete.size(), text));
  }
  std::vector<const SuiteRun*> named;
  for (const SuiteRun& run : runs)
    if (run.id.starts_with(text)) named.push_back(&run);
  if (named.size() == 1) return named.front()->id;
  if (named.size() > 1)
    return fail(fmt::format("{} runs begin with {}: {}, {} …", named.size(), text, named[0]->id,
                            named[1]->id));
  const auto of_commit = std::ranges::find_if(
      complete.rbegin(), complete.rend(),
      [&](const SuiteRun* run) { return run->environment.commit.starts_with(text); });
  if (of_commit != complete.rend()) return (*of_commit)->id;
  return fail(
      fmt::format("no complete run of commit {}, no run with such an id, and no such file", text));
}

}  // namespace

Result<SuiteRun, ExitCode> find_run(const std::string& text, const std::string& store_file_given,
                                    const std::string& suite) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(text, ignored)) return read_run(text);
  const auto store = open_store(store_file_given, store::Store::Use::Read);
  if (!store) return fail(store.error());
  const auto runs = store->runs({.suite = suite, .commit = "", .complete = false});
  if (!runs) return refuse(runs.error());
  const auto id = choose(text, *runs);
  if (!id) return refuse(fmt::format("{}: {}", store_file(store_file_given), id.error()));
  auto run = store->load(*id);
  if (!run) return refuse(run.error());
  return *std::move(run);
}

using model::RunPurpose;

void add_history_options(CLI::App& verb, HistoryOptions& options) {
  add_store_option(verb, options.store);
  verb.add_option("--suite", options.suite, "The suite (default: that of the latest run)")
      ->type_name("NAME");
  verb.add_option("--last", options.last, "How many runs to look back at")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000));
}

Result<std::vector<SuiteRun>, ExitCode> load_history(const HistoryOptions& options) {
  const auto refuse = [](const std::string& why) { return fail(end_with(ExitCode::NoInput, why)); };
  const auto store = open_store(options.store, store::Store::Use::Read);
  if (!store) return fail(store.error());
  auto known = store->runs({.suite = options.suite, .commit = "", .complete = true});
  if (!known) return refuse(known.error());
  const SuiteRun* latest = model::latest_judged(*known);
  if (latest == nullptr)
    return refuse(fmt::format("{}: no complete run{}", store_file(options.store),
                              options.suite.empty() ? "" : " of suite " + options.suite));
  const std::string suite = latest->suite;
  std::uint32_t left = options.last;
  std::vector<SuiteRun> runs;
  for (const SuiteRun& run : *known | std::views::reverse) {
    if (run.suite != suite || run.purpose == RunPurpose::Noise) continue;
    if (run.purpose == RunPurpose::Judged && left-- == 0) break;
    auto loaded = store->load(run.id);
    if (!loaded) return refuse(loaded.error());
    runs.push_back(*std::move(loaded));
  }
  std::ranges::reverse(runs);
  return runs;
}

namespace {

using model::Tolerance;

/// "time=8%", "instructions=0.5 %".
std::optional<std::pair<Tolerance, double>> parse_limit(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return std::nullopt;
  const std::string word = text.substr(0, equals);
  for (const Tolerance tolerance : model::kTolerances) {
    if (word != to_string(tolerance) || tolerance == Tolerance::Exact) continue;
    const char* digits = text.c_str() + equals + 1;
    char* end = nullptr;
    const double percent = std::strtod(digits, &end);
    const std::string rest = end;
    if (end == digits || !(percent > 0 && percent < 1000) || (rest != "%" && rest != " %"))
      return std::nullopt;
    return std::pair{tolerance, percent / 100};
  }
  return std::nullopt;
}

std::string limit_fault(const std::string& text) {
  return parse_limit(text) ? ""
                           : fmt::format(
                                 "\"{}\" is not like time=8%, memory-bound-time=15% or "
                                 "instructions=0.5%",
                                 text);
}

/// The smallest number of rounds among the cases with times.
std::size_t rounds_of_a_night(const SuiteRun& run) {
  std::size_t least = SIZE_MAX;
  for (const model::CaseRun& one : run.cases)
    if (one.rounds.size() > 1) least = std::min(least, one.rounds.size());
  return least == SIZE_MAX ? 1 : least;
}

/// The latest A/A runs of the suite on this class of machine.
Parsed<std::vector<stats::MetricNoise>> known_noise(const SuiteRun& changed,
                                                    const store::Store& store) {
  const auto runs = store.runs({.suite = changed.suite, .commit = "", .complete = true});
  if (!runs) return fail(runs.error());
  for (const SuiteRun& known : *runs | std::views::reverse) {
    if (known.purpose != model::RunPurpose::Noise) continue;
    const auto run = store.load(known.id), other = store.load(known.beside);
    if (!run) return fail(run.error());
    if (other && stats::is_same_machine(*run, changed))
      return stats::noise_of(*other, *run, rounds_of_a_night(changed));
  }
  return std::vector<stats::MetricNoise>{};
}

}  // namespace

void add_suite_file(CLI::App& verb, const std::string& name, std::string& suite) {
  CLI::Option* option =
      verb.add_option(name, suite,
                      fmt::format("A Suite file, or the name of a built-in suite: {}",
                                  fmt::join(suite::built_in_suites(), ", ")))
          ->type_name(name.starts_with('-') ? "FILE" : "")
          ->required();
  suggest(option, &suite::built_in_suites);
}

void add_limit_option(CLI::App& verb, std::vector<std::string>& given) {
  verb.add_option("--limit", given,
                  "The largest change that is none: time=8%, memory-bound-time=15%, "
                  "instructions=0.5%")
      ->type_name("TOLERANCE=PERCENT")
      ->delimiter(',')
      ->check(CLI::Validator(limit_fault, ""));
}

Parsed<stats::JudgementLimits> limits_for(const SuiteRun& changed,
                                          const std::vector<std::string>& given,
                                          const store::Store* store) {
  stats::JudgementLimits limits;
  for (const std::string& text : given)
    limits.requested.insert(*parse_limit(text));
  if (store == nullptr) return limits;
  const auto noise = known_noise(changed, *store);
  if (!noise) return fail(noise.error());
  if (const stats::MetricNoise* above = stats::above_requested(*noise, limits))
    return fail(fmt::format(
        "--limit {}={:g}% is below the noise of this machine: {:.1f} % for {} "
        "of case {}; ask for more, or measure more rounds",
        to_string(above->metric.tolerance), limits.requested.at(above->metric.tolerance) * 100,
        above->power.noise_floor * 100, above->metric.name, above->case_name));
  stats::add_noise(*noise, limits);
  return limits;
}

std::string folder_of_this_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

model::Environment environment_of_build(const std::string& folder) {
  model::Environment environment = this_environment();
  for (std::string* text : {&environment.overlane_version, &environment.commit,
                            &environment.compiler, &environment.flags, &environment.build_type})
    *text = "unknown";
  const std::string program = suite::find_program(folder, "overlane");
  if (program.find('/') == std::string::npos) return environment;  // Not a program of this build.
  static const std::atomic<bool> kNever = false;
  const auto ran = suite::run_program({.words = {program, "version", "--output", "json"},
                                       .folder = "",
                                       .timeout = std::chrono::seconds(60)},
                                      kNever);
  if (!ran) return environment;
  const auto said = nlohmann::json::parse(ran->output, nullptr, false);
  if (!said.is_object()) return environment;
  const auto take = [&](const char* key, std::string& text) {
    if (const auto found = said.find(key); found != said.end() && found->is_string())
      text = found->get<std::string>();
  };
  take("overlane_version", environment.overlane_version);
  take("commit", environment.commit);
  take("compiler", environment.compiler);
  take("flags", environment.flags);
  take("build_type", environment.build_type);
  return environment;
}

}  // namespace overlane::command
