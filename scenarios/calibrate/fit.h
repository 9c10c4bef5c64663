#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "scenarios/calibrate/constants.h"
#include "scenarios/calibrate/host_model.h"
#include "scenarios/calibrate/measurement_table.h"
#include "scenarios/runner/plan/parallel.h"

namespace overlane::calibrate {

/// The fitted factor of one constant or kernel.
struct Found {
  double factor = 1;  ///< On the prior value.
  /// Standard error of the factor's logarithm: about its relative error.
  double uncertainty = 0;
  /// Whether the rows determine the factor; if not, it stays at the prior value.
  bool identified = false;
};

struct Fit {
  HostModel model;
  std::array<Found, kConstantCount> constants;
  std::vector<std::string> kernels;  ///< Other than the hosts', in order of occurrence.
  std::vector<Found> kernel_scales;  ///< By kernel, as in `kernels`.
  int rounds = 0;                    ///< Iterations of least squares.
};

/// Fits the constants of `prior`, and one scale per further kernel, to the rows of use `fit`: least
/// squares over the logarithms of predicted / measured, in units of the figure's expected error,
/// with a weak prior. Deterministic. Values are rounded to three digits. The latency is fitted
/// unless the table gives it. Errors are internal. `progress`: simulations, of about as many as
/// fits usually take.
Parsed<Fit> fit(const MeasurementTable& table, const HostModel& prior, std::uint32_t threads,
                const runner::TasksDone& progress = {});

}  // namespace overlane::calibrate
