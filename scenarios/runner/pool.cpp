#include "scenarios/runner/pool.h"

#include "scenarios/runner/metrics.h"

namespace overlane::runner {

model::TrafficResult pool(const std::vector<model::TrafficResult>& repetitions) {
  model::TrafficResult all = repetitions.front();
  if (repetitions.size() == 1) return all;
  const auto count = static_cast<std::int64_t>(repetitions.size());
  for (const Metric& metric : kMetrics) {
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
    all.transactions += one.transactions;
    for (const DropFacts& facts : kDrops)
      all.drops[facts.drop] += one.drops[facts.drop];
  }
  all.throughput_bps /= count;
  all.goodput_bps /= count;
  return all;
}

}  // namespace overlane::runner
