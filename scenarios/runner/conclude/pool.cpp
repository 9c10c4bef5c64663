#include "scenarios/runner/conclude/pool.h"

#include <cstdlib>

#include "results/model/run_report.h"

namespace overlane::runner {

namespace {

using Steady = std::optional<model::SteadyState>;

/// The worse state of two repetitions; an unknown state is ignored.
const Steady& worse(const Steady& a, const Steady& b) {
  if (!a || !b) return a ? a : b;
  if (a->reached != b->reached) return a->reached ? b : a;
  if (!a->reached) return std::abs(a->drift_ppm) < std::abs(b->drift_ppm) ? b : a;
  return a->from < b->from ? b : a;
}

}  // namespace

model::TrafficResult pool(const std::vector<model::TrafficResult>& repetitions) {
  model::TrafficResult all = repetitions.front();
  if (repetitions.size() == 1) return all;
  const auto count = static_cast<std::int64_t>(repetitions.size());
  for (const model::TrafficFigure& metric : model::kTrafficFigures) {
    if (!metric.is_of(all)) continue;
    model::RepeatedFigure& figure =
        all.repeated.emplace_back(model::RepeatedFigure{std::string(metric.name), {}});
    for (const model::TrafficResult& one : repetitions)
      figure.values.push_back(metric.value(one));
  }
  for (std::size_t i = 1; i < repetitions.size(); ++i) {
    const model::TrafficResult& one = repetitions[i];
    all.throughput_bps += one.throughput_bps;
    all.goodput_bps += one.goodput_bps;
    all.packets += one.packets;
    all.latency_ns += one.latency_ns;
    all.completion_ns += one.completion_ns;
    if (all.interruptions && one.interruptions) *all.interruptions += *one.interruptions;
    all.transactions += one.transactions;
    if (all.connections_per_second)
      *all.connections_per_second += one.connections_per_second.value_or(0);
    all.steady_state = worse(all.steady_state, one.steady_state);
    all.latency_steady_state = worse(all.latency_steady_state, one.latency_steady_state);
    for (const DropFacts& facts : kDrops)
      all.drops[facts.drop] += one.drops[facts.drop];
  }
  all.throughput_bps /= count;
  all.goodput_bps /= count;
  if (all.connections_per_second) *all.connections_per_second /= count;
  return all;
}

}  // namespace overlane::runner
