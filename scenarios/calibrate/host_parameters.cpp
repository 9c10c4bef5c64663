#include "scenarios/calibrate/host_parameters.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace overlane::calibrate {

namespace {

// Spreads over the hosts of the library's tables, rounded from the root mean square of the factors'
// logarithms in fits of all rows of a table, where the rows determine the factor.
/// Spread of the classes, in the order of CostClass. CPU: 0.84 in ten tables. Copies: 0.65 in five.
/// Wake-ups: 0.5 in two tables, 1.2 with those of namespaces in virtual machines; between the two.
constexpr std::array<double, kCostClasses.size()> kClassWidths = {0.8, 0.65, 0.8};
/// Spread of a constant relative to its class: 0.47 of 30 constants, a factor of 1.6.
constexpr double kConstantWidth = 0.5;
/// Spread of latencies and of kernels: a factor of two.
constexpr double kOtherWidth = 0.7;

bool connects(Constant constant, const MeasurementRow& row) {
  return constant != Constant::Connections || row.connection_per_request;
}

}  // namespace

std::string_view to_string(CostClass cost_class) {
  switch (cost_class) {
    case CostClass::Cpu:
      return "cpu";
    case CostClass::Copies:
      return "copies";
    case CostClass::WakeUps:
      return "wake-ups";
  }
  return "";
}

std::optional<CostClass> class_of(Constant constant) {
  switch (constant) {
    case Constant::Connections:
    case Constant::SystemCalls:
    case Constant::Sockets:
    case Constant::Nic:
    case Constant::PodPath:
    case Constant::EbpfPath:
    case Constant::Tunnel:
    case Constant::EbpfTunnel:
    case Constant::Segmentation:
    case Constant::Vhost:
      return CostClass::Cpu;
    case Constant::CopySend:
    case Constant::CopyReceive:
    case Constant::VhostCopy:
      return CostClass::Copies;
    case Constant::Interrupts:
    case Constant::WakeUp:
    case Constant::Sleep:
    case Constant::PodSleep:
      return CostClass::WakeUps;
    case Constant::Latency:
      break;
  }
  return std::nullopt;
}

std::vector<std::string> kernels_of(const MeasurementTable& table, Use use) {
  std::vector<std::string> kernels;
  for (const MeasurementRow& row : table.rows) {
    const bool is_known =
        row.kernel == table.hosts.kernel || std::ranges::find(kernels, row.kernel) != kernels.end();
    if (row.use == use && !is_known) kernels.push_back(row.kernel);
  }
  return kernels;
}

HostParameters::HostParameters(const MeasurementTable& table, const HostModel& prior,
                               std::vector<std::string> kernels)
    : table_(table), prior_(prior), kernels_(std::move(kernels)) {
  for (const ConstantFacts& facts : kConstants) {
    const bool is_given = facts.constant == Constant::Latency && table.hosts.latency.has_value();
    if (!is_given && exists(facts.constant, table.hosts.wire))
      all_.push_back(Parameter::of(facts.constant));
  }
  for (const CostClass cost_class : kCostClasses)
    all_.push_back(Parameter::of(cost_class));
  for (std::size_t k = 0; k < kernels_.size(); ++k)
    all_.push_back({Parameter::kFirstKernel + k});
}

HostModel HostParameters::model(std::span<const Parameter> parameters,
                                std::span<const double> logarithms) const {
  std::vector<double> values(Parameter::kFirstKernel + kernels_.size());
  for (std::size_t i = 0; i < parameters.size(); ++i)
    values[parameters[i].position] = logarithms[i];
  Factors factors;
  for (const ConstantFacts& facts : kConstants) {
    const auto cost_class = class_of(facts.constant);
    const double host = cost_class ? values[Parameter::of(*cost_class).position] : 0;
    factors[static_cast<std::size_t>(facts.constant)] =
        std::exp(host + values[Parameter::of(facts.constant).position]);
  }
  HostModel model = with_factors(prior_, factors);
  if (table_.hosts.latency) model.latency = *table_.hosts.latency;
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    const auto before = prior_.kernels.find(kernels_[k]);
    model.kernels[kernels_[k]] = (before == prior_.kernels.end() ? 1 : before->second) *
                                 std::exp(values[Parameter::kFirstKernel + k]);
  }
  return model;
}

double HostParameters::prior_width(Parameter parameter) {
  if (parameter.is_class()) return kClassWidths[parameter.position - Parameter::kFirstClass];
  if (parameter.is_constant() && class_of(static_cast<Constant>(parameter.position)))
    return kConstantWidth;
  return kOtherWidth;
}

bool HostParameters::affects(Parameter parameter, const MeasurementRow& row) const {
  if (parameter.is_class()) {
    return std::ranges::any_of(kConstants, [&](const ConstantFacts& facts) {
      const auto cost_class = class_of(facts.constant);
      return cost_class && Parameter::of(*cost_class) == parameter &&
             affects(Parameter::of(facts.constant), row);
    });
  }
  if (!parameter.is_constant())
    return row.kernel == kernels_[parameter.position - Parameter::kFirstKernel];
  const auto constant = static_cast<Constant>(parameter.position);
  return connects(constant, row) && exists(constant, table_.hosts.wire) &&
         meets(table_.system_of(row), constant);
}

}  // namespace overlane::calibrate
