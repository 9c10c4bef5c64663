// Benchmarks of the simulation of a switch of a large shoot: one strategy with one seed, and a
// whole evaluation with the ranges of uncertain facts and durations.

#include <benchmark/benchmark.h>
#include <stdexcept>
#include <string>

#include "scenarios/migration/evaluate.h"
#include "scenarios/migration/inputs/load.h"
#include "scenarios/migration/simulate.h"

namespace overlane::migration {
namespace {

constexpr std::uint32_t kNodes = 1000;

Loaded switch_to_routed(const std::string& strategy, const std::string& disturbance = "") {
  auto loaded =
      load({.paths = {OVERLANE_SOURCE_DIR "/topologies/library/manifests/shoot-aws-ipip.yaml"},
            .subject = {.nodes = kNodes},
            .to = Target::Routed,
            .strategies = {strategy},
            .disturb = disturbance,
            .runs = 1});
  if (!loaded) throw std::runtime_error(loaded.error().findings.front().message);
  return *std::move(loaded);
}

void simulate_switch(benchmark::State& state, const char* strategy, const char* disturbance) {
  const Loaded loaded = switch_to_routed(strategy, disturbance);
  std::size_t steps = 0;
  for (auto _ : state) {
    const SwitchResult course =
        simulate(loaded.transition, loaded.strategies.front(), loaded.timing, 1,
                 {.watched = Watched::AllTraffic, .disturbance = loaded.disturbance});
    steps = course.steps.size();
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["steps"] = static_cast<double>(steps);
}

/// Evaluates one strategy, with both values of each uncertain fact and both ends of the range of
/// each duration.
void evaluate_switch(benchmark::State& state, const char* strategy) {
  const Loaded loaded = switch_to_routed(strategy);
  for (auto _ : state)
    benchmark::DoNotOptimize(evaluate(loaded, {}));
  state.SetItemsProcessed(state.iterations());
}

void report_seconds(benchmark::internal::Benchmark* benchmark) {
  benchmark->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(3);
}

BENCHMARK_CAPTURE(simulate_switch, today, "today", "")
    ->Name("migrate-1000/today")
    ->Apply(report_seconds);
BENCHMARK_CAPTURE(simulate_switch, delete_pods, "delete-pods", "")
    ->Name("migrate-1000/delete-pods")
    ->Apply(report_seconds);
BENCHMARK_CAPTURE(simulate_switch, seamless, "seamless", "")
    ->Name("migrate-1000/seamless")
    ->Apply(report_seconds);
BENCHMARK_CAPTURE(simulate_switch, worker_roll, "today", "worker-roll@60s")
    ->Name("migrate-1000/worker-roll")
    ->Apply(report_seconds);
BENCHMARK_CAPTURE(evaluate_switch, today, "today")
    ->Name("migrate-1000/with-ranges")
    ->Apply(report_seconds);

}  // namespace
}  // namespace overlane::migration
