#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/calibrate/measurement_table.h"
#include "scenarios/calibrate/prediction.h"

namespace overlane::calibrate {

// How a class of hosts differs from a prior model. Each parameter is the logarithm of a factor and
// 0 for the prior:
// - one per class of costs (CostClass): how fast the host is. It multiplies all constants of its
//   class, so that a constant which no measurement determines follows the speed of the host;
// - one per constant: how the constant differs from its class on this host;
// - one per kernel other than the hosts' own.
// Before any measurement, parameters are independent and normally distributed with standard
// deviations (prior_width()) that are the spread over the hosts of the library.

/// Costs that one property of a host scales together.
enum class CostClass : std::uint8_t {
  Cpu,      ///< Instructions of the kernel: clock, caches, mitigations.
  Copies,   ///< Bytes moved: memory.
  WakeUps,  ///< Interrupts and idle states; on virtual machines, exits.
};
inline constexpr std::array kCostClasses = {CostClass::Cpu, CostClass::Copies, CostClass::WakeUps};
std::string_view to_string(CostClass cost_class);

/// The class of a constant; nothing for Latency, which depends on the wire.
std::optional<CostClass> class_of(Constant constant);

/// A parameter of a class of hosts: the position in the list of constants, classes and kernels.
struct Parameter {
  static constexpr std::size_t kFirstClass = kConstantCount;
  static constexpr std::size_t kFirstKernel = kFirstClass + kCostClasses.size();

  std::size_t position = 0;

  static Parameter of(Constant constant) { return {static_cast<std::size_t>(constant)}; }
  static Parameter of(CostClass cost_class) {
    return {kFirstClass + static_cast<std::size_t>(cost_class)};
  }
  bool is_constant() const { return position < kFirstClass; }
  bool is_class() const { return !is_constant() && position < kFirstKernel; }
  bool operator==(const Parameter&) const = default;
};

/// The kernels of a table's rows of this use except the hosts' own, in order of occurrence.
std::vector<std::string> kernels_of(const MeasurementTable& table, Use use);

/// Half the step of a numerical derivative by a parameter: a factor of 1.08, much more than the
/// noise caused by finite runs and batches.
inline constexpr double kHalfStep = 0.08;

/// The parameters of a table's hosts relative to a prior model.
class HostParameters {
 public:
  /// `kernels`: those of the table's rows except the hosts'. `table` and `prior` must outlive this
  /// object.
  HostParameters(const MeasurementTable& table, const HostModel& prior,
                 std::vector<std::string> kernels);

  /// All parameters except the latency's if the table gives the latency.
  const std::vector<Parameter>& all() const { return all_; }
  const std::vector<std::string>& kernels() const { return kernels_; }

  /// The model with these logarithms; all other parameters are 0.
  HostModel model(std::span<const Parameter> parameters, std::span<const double> logarithms) const;
  /// Standard deviation of a parameter before any measurement.
  static double prior_width(Parameter parameter);
  /// Whether the prediction of a row can depend on a parameter.
  bool affects(Parameter parameter, const MeasurementRow& row) const;

 private:
  const MeasurementTable& table_;
  const HostModel& prior_;
  std::vector<std::string> kernels_;
  std::vector<Parameter> all_;
};

}  // namespace overlane::calibrate
