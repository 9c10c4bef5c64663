#include "tools/overlane/suites/limits.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "results/stats/judge.h"
#include "results/stats/noise.h"

namespace overlane::command {
namespace {

using model::SuiteRun;
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

/// The rounds of the case with the fewest, of those with times.
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
    limits.asked.insert(*parse_limit(text));
  if (store == nullptr) return limits;
  const auto noise = known_noise(changed, *store);
  if (!noise) return fail(noise.error());
  if (const stats::MetricNoise* above = stats::above_asked(*noise, limits))
    return fail(fmt::format(
        "--limit {}={:g}% is below the noise of this machine: {:.1f} % for {} "
        "of case {}; ask for more, or measure more rounds",
        to_string(above->metric.tolerance), limits.asked.at(above->metric.tolerance) * 100,
        above->power.noise_floor * 100, above->metric.name, above->case_name));
  stats::add_noise(*noise, limits);
  return limits;
}

}  // namespace overlane::command
