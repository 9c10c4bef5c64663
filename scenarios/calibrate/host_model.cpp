#include "scenarios/calibrate/host_model.h"

#include <cmath>

namespace overlane::calibrate {
namespace {

Picos scaled(Picos time, double factor) {
  return picoseconds(std::llround(static_cast<double>(time.count) * factor));
}

}  // namespace

cost::StageCost scaled(const cost::StageCost& cost, double factor) {
  return {scaled(cost.per_skb, factor), scaled(cost.per_packet, factor),
          scaled(cost.per_byte, factor)};
}

cost::CostProfile costs_under(const HostModel& model, std::string_view kernel) {
  cost::CostProfile costs = model.costs;
  const auto scale = model.kernels.find(kernel);
  if (scale == model.kernels.end()) return costs;
  for (cost::StageCost& stage : costs.stages) {
    const Picos per_byte = stage.per_byte;
    stage = scaled(stage, scale->second);
    stage.per_byte = per_byte;
  }
  return costs;
}

}  // namespace overlane::calibrate
