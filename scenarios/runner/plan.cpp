#include "scenarios/runner/plan.h"

#include "scenarios/runner/parallel.h"
#include "scenarios/runner/progress.h"

namespace overlane::runner {
namespace {

std::vector<std::vector<run::TrafficGroup>> rounds_of(const Prepared& prepared) {
  if (prepared.scenario.concurrent) return {prepared.traffic};
  std::vector<std::vector<run::TrafficGroup>> rounds;
  for (const run::TrafficGroup& group : prepared.traffic)
    rounds.push_back({group});
  return rounds;
}

std::vector<LaidOut> lay_out_all(const Prepared& prepared, std::uint32_t threads) {
  const auto& asked = prepared.scenario.variants;
  std::vector<LaidOut> variants(asked.size());
  in_parallel(asked.size(), threads,
              [&](std::size_t i) { variants[i] = lay_out(prepared, asked[i]); });
  return variants;
}

std::vector<Progress::Run> announced(const Plan& plan) {
  std::vector<Progress::Run> runs;
  for (const PlannedRun& run : plan.runs)
    runs.push_back({.variant = plan.variants[run.variant].variant.name,
                    .traffic = name_of(plan.rounds[run.round]),
                    .round = run.round,
                    .duration = plan.options.duration});
  return runs;
}

}  // namespace

Plan make_plan(const Prepared& prepared, const Course& course) {
  const spec::Scenario& scenario = prepared.scenario;
  Plan plan{.variants = lay_out_all(prepared, course.threads),
            .rounds = rounds_of(prepared),
            .seeds = {course.seed},
            .options = {.duration = scenario.duration,
                        .warm_up = scenario.warm_up,
                        .start_spread = scenario.start_spread,
                        .max_events = course.max_events},
            .runs = {}};
  for (std::size_t variant = 0; variant < plan.variants.size(); ++variant) {
    if (!plan.variants[variant].network) continue;
    for (std::size_t repetition = 0; repetition < plan.seeds.size(); ++repetition) {
      for (std::size_t round = 0; round < plan.rounds.size(); ++round)
        plan.runs.push_back({variant, repetition, round});
    }
  }
  return plan;
}

std::string name_of(const std::vector<run::TrafficGroup>& round) {
  std::string names;
  for (const run::TrafficGroup& group : round)
    names += (names.empty() ? "" : ", ") + group.name;
  return names;
}

Measurements carry_out(const Plan& plan, std::uint32_t threads, const Steering& steering) {
  Measurements measured(plan.runs.size());
  if (steering.progress != nullptr) steering.progress->begin(announced(plan), threads);
  in_parallel(plan.runs.size(), threads, [&](std::size_t i) {
    const PlannedRun& planned = plan.runs[i];
    run::Watch unseen;
    run::Watch& watch = steering.progress != nullptr ? steering.progress->start(i) : unseen;
    watch.stop = steering.stop;
    if (!watch.asks_to_stop()) {
      run::RunOptions options = plan.options;
      options.seed = plan.seeds[planned.repetition];
      options.watch = &watch;
      measured[i] =
          run::run(*plan.variants[planned.variant].network, plan.rounds[planned.round], options);
    }
    if (steering.progress != nullptr) steering.progress->finish(i);
  });
  return measured;
}

}  // namespace overlane::runner
