#include "scenarios/runner/measure/measure.h"

#include "scenarios/runner/measure/progress.h"
#include "scenarios/runner/plan/parallel.h"

namespace overlane::runner {
namespace {

std::vector<Progress::Run> announced(const Plan& plan) {
  std::vector<Progress::Run> runs;
  for (const PlannedRun& run : plan.runs)
    runs.push_back({.variant = plan.variants[run.variant].variant.name,
                    .traffic = name_of(plan.traffic(run)),
                    .round = run.round,
                    .duration = plan.options.duration});
  return runs;
}

}  // namespace

Measurements carry_out(const Plan& plan, std::uint32_t threads, const Steering& steering,
                       const Observation* observation) {
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
      options.threads = threads_of_each(plan.runs.size(), threads);
      options.changes = plan.variants[planned.variant].changes;
      options.joins = plan.variants[planned.variant].joins;
      if (planned.repetition == 0) options.series = plan.series;
      if (observation != nullptr) options.trace = observation->trace_of(i);
      measured[i] =
          run::run(*plan.variants[planned.variant].network, plan.traffic(planned), options);
    }
    if (steering.progress != nullptr) steering.progress->finish(i);
  });
  return measured;
}

}  // namespace overlane::runner
