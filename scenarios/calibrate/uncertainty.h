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
// posterior of least squares. Hosts are drawn from it, and each row is simulated on each of them:
// a link that limits the expected host need not limit a slower one. The interval of a figure holds
// the middle 80 % of the drawn figures, each blurred by the error of rows that no fit has seen.

/// Expected relative error of a figure whose costs are known: the spread of repeated measurements
/// plus the error of a model with few constants.
double model_error(Quantity quantity);
/// Standard deviation of the logarithm of a figure that was not fitted, on hosts whose other rows
/// were: 1.25 times the mean error of such rows in the library (docs/reference/fidelity.md).
double unfitted_error(Quantity quantity);
/// Standard deviation for a row whose encapsulation and datapath no fitted row has: what one CNI
/// costs says less about another than about its own other rows. More by 0.12 in squares: with this,
/// nine of ten figures of hosts that only two baseline rows tell about are inside their intervals
/// (docs/reference/unknown-hosts.md).
double new_path_error(Quantity quantity);

/// A normal distribution of the parameters around a model.
struct Knowledge {
  std::vector<Parameter> parameters;
  std::vector<double> covariance;  ///< Row by row; its size is that of `parameters`, squared.

  /// Before any measurement.
  static Knowledge prior(std::vector<Parameter> parameters);
  /// About hosts whose profile has the constants `determined` by measurements, which differ by
  /// kDeterminedWidth from the truth; a class with a determined constant is known.
  static Knowledge of_profile(std::vector<Parameter> parameters,
                              std::span<const Constant> determined);
};

/// Standard deviation of the logarithm of a constant that a fit has determined, if nothing else of
/// the fit is known. Assumed: fits of the library give single constants 0.34 (median of 40), and
/// their errors partly cancel in a figure.
inline constexpr double kDeterminedWidth = 0.2;

/// A range that holds the true figure with a probability of 80 %, if the model is right.
struct Interval {
  double low = 0;
  double high = 0;

  bool holds(double value) const { return low <= value && value <= high; }
};

/// Number of hosts that are drawn.
inline constexpr std::size_t kDraws = 24;

/// A row's figures on each drawn host: [figure][host].
using DrawnFigures = std::vector<std::vector<double>>;

/// Draws hosts around `model` and simulates each trial on each of them, over the trials' spans. All
/// trials have the same hosts. Deterministic. Threads and errors as in predict().
Parsed<std::vector<DrawnFigures>> draw_figures(const MeasurementTable& table,
                                               std::span<const Trial> trials,
                                               const HostModel& model, const Knowledge& knowledge,
                                               std::uint32_t threads);

/// The interval of a predicted figure, given its values on drawn hosts, of which there must be at
/// least one, and the standard deviation of its logarithm on hosts that are known. Their median may
/// differ from the prediction, because hosts are drawn from a linear approximation: the interval
/// has their spread, around the prediction.
Interval interval_of(double predicted, std::span<const double> drawn, double error);

/// The interval of the predicted ratio of two figures of one quantity on the same drawn hosts,
/// whose errors in common cancel. `error` is that of both together.
Interval interval_of_ratio(double predicted, std::span<const double> drawn,
                           std::span<const double> baseline, double error);

}  // namespace overlane::calibrate
