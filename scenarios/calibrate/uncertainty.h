#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "results/finding/finding.h"
#include "scenarios/calibrate/host_parameters.h"
#include "scenarios/calibrate/measurement_table.h"
#include "scenarios/calibrate/prediction.h"

namespace overlane::calibrate {

// How uncertain a prediction is. What is known about a class of hosts is a normal distribution of
// its HostParameters (Knowledge): before any measurement the spread over hosts, after a fit the
// posterior of least squares. To first order, the logarithm of a predicted figure is normal too,
// with the variance gradient · covariance · gradient plus that of the model's own error.

/// Expected relative error of a figure whose costs are known: the spread of repeated measurements
/// plus the error of a model with few constants.
double model_error(Quantity quantity);

/// A normal distribution of the parameters around a model.
struct Knowledge {
  std::vector<Parameter> parameters;
  std::vector<double> covariance;  ///< Row by row; its size is that of `parameters`, squared.

  /// Before any measurement.
  static Knowledge prior(std::vector<Parameter> parameters);
  /// gradient · covariance · gradient; `gradient` is in the order of `parameters`.
  double variance(std::span<const double> gradient) const;
};

/// A range that holds the true figure with a probability of 80 %, if the model is right.
struct Interval {
  double low = 0;
  double high = 0;

  bool holds(double value) const { return low <= value && value <= high; }
};

/// How a row's figures depend on the parameters.
struct Sensitivities {
  /// By figure of the row: the derivative of its logarithm by each parameter.
  std::vector<std::vector<double>> gradients;
};

/// The sensitivities of each trial around `model`, simulated over the trials' spans. Threads and
/// errors as in predict().
Parsed<std::vector<Sensitivities>> sensitivities(const MeasurementTable& table,
                                                 std::span<const Trial> trials,
                                                 const HostModel& model,
                                                 std::span<const Parameter> parameters,
                                                 std::uint32_t threads);

/// The interval around a predicted figure.
Interval interval_of(double predicted, Quantity quantity, std::span<const double> gradient,
                     const Knowledge& knowledge);

/// The interval around the predicted ratio of two figures of one quantity, whose errors in common
/// cancel.
Interval interval_of_ratio(double predicted, Quantity quantity, std::span<const double> gradient,
                           std::span<const double> baseline, const Knowledge& knowledge);

}  // namespace overlane::calibrate
