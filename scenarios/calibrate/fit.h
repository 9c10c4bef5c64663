#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "scenarios/calibrate/host_parameters.h"
#include "scenarios/calibrate/measurement_table.h"
#include "scenarios/calibrate/prediction.h"
#include "scenarios/calibrate/uncertainty.h"
#include "scenarios/runner/plan/parallel.h"

namespace overlane::calibrate {

// Fits a host model to the rows of a measurement table that have the use `fit`. The unknowns are
// HostParameters. FitProblem defines the least-squares problem; every residual needs a simulation
// of its row.

/// The rows of use `fit` of a table as a least-squares problem. Unknowns are logarithms of factors;
/// residuals are prediction errors in units of the expected error.
class FitProblem {
 public:
  /// `table`, `prior` and `progress` must outlive the problem. Errors are internal.
  static Parsed<FitProblem> make(const MeasurementTable& table, const HostModel& prior,
                                 std::uint32_t threads, const runner::TasksDone& progress);

  /// Simulates each row as long as it takes to reach the steady state under `model`. A row without
  /// one has no weight. Returns whether that changes any row. Call before residuals(). Errors are
  /// internal.
  Parsed<bool> settle(const HostModel& model);

  const HostParameters& parameters() const { return parameters_; }
  std::size_t residual_count(std::size_t unknowns) const {
    return figures_ + ratios_.size() + unknowns + (is_one_machine() ? 1 : 0);
  }

  /// The residuals at a point, in this order: one per figure, one per bounded ratio, the prior's
  /// residual of each unknown and, if both hosts are one machine, the residual of the ratio of the
  /// sender's to the receiver's copying.
  Parsed<std::vector<double>> residuals(std::span<const Parameter> unknowns,
                                        std::span<const double> logarithms) const;
  /// Partial derivatives: [unknown][residual].
  Parsed<std::vector<std::vector<double>>> slopes(std::span<const Parameter> unknowns,
                                                  std::span<const double> logarithms) const;

 private:
  FitProblem(const MeasurementTable& table, const HostModel& prior, std::uint32_t threads,
             const runner::TasksDone& progress)
      : table_(table),
        parameters_(table, prior, kernels_of(table, Use::Fit)),
        threads_(threads),
        progress_(progress) {}

  /// Runs the predictions and reports progress.
  Parsed<std::vector<Prediction>> predict_all(std::span<const PredictionRequest> requests) const;

  std::vector<double> of_figures(std::span<const Prediction> predictions) const;
  bool is_one_machine() const { return table_.hosts.wire == cost::Wire::Veth; }
  /// The positions of the sender's and of the receiver's copying, if both are among `unknowns`.
  using Copies = std::optional<std::array<std::size_t, 2>>;
  static Copies copies(std::span<const Parameter> unknowns);

  /// Two trials with a bound on the ratio of their first figures; both figures are rates.
  struct TrialRatio {
    std::size_t trial = 0;
    std::size_t baseline = 0;
    double measured = 0;
    double within = 0;
  };

  const MeasurementTable& table_;
  HostParameters parameters_;
  std::uint32_t threads_;
  const runner::TasksDone& progress_;
  mutable std::size_t simulated_ = 0;  ///< Number of simulations so far.
  mutable std::size_t round_ = 0;      ///< Simulations of one round of the search.
  std::vector<Trial> trials_;
  std::vector<bool> is_steady_;  ///< By trial.
  std::size_t figures_ = 0;
  std::vector<TrialRatio> ratios_;
};

/// The fitted factor of one constant, class of costs or kernel.
struct FittedFactor {
  double factor = 1;  ///< Factor on the prior value; of a constant, with the factor of its class.
  /// Standard error of the factor's logarithm, which is about the relative error of the factor.
  double uncertainty = 0;
  /// Whether the rows determine the factor; if not, a constant has the factor of its class.
  bool identified = false;
};

struct Fit {
  HostModel model;
  std::array<FittedFactor, kConstantCount> constants;
  std::array<FittedFactor, kCostClasses.size()> classes;
  std::vector<std::string> kernels;         ///< Kernels except the hosts', in order of occurrence.
  std::vector<FittedFactor> kernel_scales;  ///< By kernel, as in `kernels`.
  Knowledge knowledge;                      ///< The posterior, around `model`.
  int rounds = 0;                           ///< Iterations of least squares.
};

/// Fits the constants of `prior`, and one scale per further kernel, to the rows of use `fit`: least
/// squares over the logarithms of predicted / measured, in units of the figure's expected error,
/// with a weak prior. Rows are compared in their steady state; rows without one are left out. The
/// fit is deterministic. Values are rounded to three digits. The latency is
/// fitted unless the table gives it. Errors are internal. `progress` receives the number of
/// finished simulations and an estimate of their total.
Parsed<Fit> fit(const MeasurementTable& table, const HostModel& prior, std::uint32_t threads,
                const runner::TasksDone& progress = {});

}  // namespace overlane::calibrate
