#include "results/stats/testing/nights.h"

#include <cmath>
#include <string>

#include "sim/random/stream.h"

namespace overlane::stats::testing {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

model::SuiteRun night_run(std::size_t night, bool is_base) {
  const std::string number = std::to_string(night);
  const std::string ids[] = {"night-" + number, "base-" + number};
  model::SuiteRun run{.id = ids[is_base ? 1 : 0],
                      .suite = "nights",
                      .started_ms = static_cast<std::int64_t>(night) * kDayMs,
                      .state = model::RunState::Complete,
                      .beside = ids[is_base ? 0 : 1],
                      .purpose = is_base ? model::RunPurpose::Base : model::RunPurpose::Judged};
  run.environment.commit = is_base ? "base" : "commit-" + number;
  model::CaseRun one{.name = "lookup", .owner = "dataplane/fib"};
  one.metrics.push_back({.metric = {.name = "time",
                                    .unit = "ns",
                                    .better = model::Better::Lower,
                                    .tolerance = model::Tolerance::Time},
                         .samples = {}});
  run.cases.push_back(std::move(one));
  return run;
}

}  // namespace

std::vector<double> normal_numbers(std::uint64_t entity, std::size_t count) {
  RandomStream stream(11, StreamUse::Resamples, entity);
  const auto uniform = [&] { return static_cast<double>((stream.next() >> 11) + 1) * 0x1p-53; };
  std::vector<double> numbers;
  while (numbers.size() < count) {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    numbers.push_back(radius * std::cos(2 * std::acos(-1.0) * uniform()));
  }
  return numbers;
}

std::vector<model::SuiteRun> Nights::runs() const {
  std::vector<model::SuiteRun> runs;
  const auto numbers = normal_numbers(entity, count * (2 * rounds + 1));
  auto number = numbers.begin();
  for (std::size_t night = 0; night < count; ++night) {
    model::SuiteRun changed = night_run(night, false), base = night_run(night, true);
    const double slow = machine(night);
    const double night_factor = time(night) * (1 + night_noise * *number++);
    for (std::size_t round = 0; round < rounds; ++round) {
      const auto add = [&](model::SuiteRun& run, double factor) {
        model::CaseRun& one = run.cases[0];
        one.rounds.push_back({.compute_ns = 5 * slow, .memory_ns = 80 * slow});
        one.metrics[0].samples.push_back(
            {static_cast<std::int64_t>(round), 100 * slow * factor * (1 + noise * *number++)});
      };
      add(changed, night_factor);
      add(base, 1);
    }
    runs.push_back(std::move(changed));
    runs.push_back(std::move(base));
  }
  return runs;
}

}  // namespace overlane::stats::testing
