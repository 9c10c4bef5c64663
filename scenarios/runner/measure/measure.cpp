#include "scenarios/runner/measure/measure.h"

#include <algorithm>
#include <map>

#include "scenarios/runner/plan/parallel.h"

namespace overlane::runner {

namespace {

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Wall-clock time per simulated time.
struct Pace {
  double seconds = 0;
  double simulated = 0;

  void add(const RunState& run) {
    seconds += run.seconds;
    simulated += static_cast<double>(run.simulated.count);
  }
  double of(Picos time) const { return static_cast<double>(time.count) * seconds / simulated; }
};

}  // namespace

std::optional<double> seconds_left(const std::vector<RunState>& runs, std::uint32_t threads) {
  Pace all;
  std::map<std::size_t, Pace> rounds;
  for (const RunState& run : runs) {
    all.add(run);
    rounds[run.round].add(run);
  }
  if (all.simulated <= 0) return std::nullopt;
  double work = 0;
  double longest = 0;
  for (const RunState& run : runs) {
    if (run.done) continue;
    const Pace& same = rounds[run.round];
    const double left = (same.simulated > 0 ? same : all).of(run.duration - run.simulated);
    work += left;
    longest = std::max(longest, left);
  }
  return std::max(longest, work / std::max(1u, threads));
}

void Progress::begin(std::vector<Run> runs, std::uint32_t threads) {
  const std::scoped_lock lock(mutex_);
  entries_.clear();
  for (Run& run : runs)
    entries_.emplace_back().run = std::move(run);
  begun_ = Clock::now();
  threads_ = threads;
}

run::Watch& Progress::start(std::size_t run) {
  const std::scoped_lock lock(mutex_);
  entries_[run].started = Clock::now();
  return entries_[run].watch;
}

void Progress::finish(std::size_t run) {
  const std::scoped_lock lock(mutex_);
  entries_[run].finished = Clock::now();
}

RunState Progress::state_of(const Entry& entry, Clock::time_point now) {
  RunState state{.round = entry.run.round,
                 .duration = entry.run.duration,
                 .simulated = {entry.watch.simulated_ps.load(std::memory_order_relaxed)},
                 .done = entry.finished.has_value()};
  if (state.done) state.simulated = state.duration;
  if (entry.started) state.seconds = seconds(entry.finished.value_or(now) - *entry.started);
  return state;
}

Progress::View Progress::look() const {
  const std::scoped_lock lock(mutex_);
  const Clock::time_point now = Clock::now();
  View view{.runs = entries_.size()};
  if (entries_.empty()) return view;
  view.seconds = seconds(now - begun_);
  std::vector<RunState> states;
  for (const Entry& entry : entries_) {
    const RunState& state = states.emplace_back(state_of(entry, now));
    view.done += state.done ? 1 : 0;
    view.simulated += state.simulated;
    view.duration += state.duration;
    view.packets += entry.watch.packets.load(std::memory_order_relaxed);
    if (entry.started && !state.done)
      view.busy.push_back(entry.run.variant + ' ' + entry.run.traffic);
  }
  view.left = seconds_left(states, threads_);
  return view;
}

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
