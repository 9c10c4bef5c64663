#include "scenarios/calibrate/host_model.h"

#include "scenarios/spec/cost_profile.h"

namespace overlane::calibrate {

cost::CostProfile costs_under(const HostModel& model, std::string_view kernel) {
  const auto scale = model.kernels.find(kernel);
  return scale == model.kernels.end() ? model.costs
                                      : spec::under_kernel(model.costs, scale->second);
}

}  // namespace overlane::calibrate
