#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/finding/result.h"
#include "scenarios/calibrate/constants.h"
#include "scenarios/calibrate/host_model.h"
#include "scenarios/calibrate/measurement_table.h"

namespace overlane::calibrate {

/// What a fit found out about one constant or one kernel.
struct Found {
  double factor = 1;  ///< On what was there before the fit.
  /// Standard error of the factor's logarithm: about its relative error.
  double uncertainty = 0;
  /// Whether the rows say anything about it; if not, it stayed what it was.
  bool identified = false;
};

struct Fit {
  HostModel model;
  std::array<Found, kConstantCount> constants;
  std::vector<std::string> kernels;  ///< Other than the hosts', in order of appearance.
  std::vector<Found> kernel_scales;  ///< Of each of them.
  int rounds = 0;                    ///< Of least squares.
};

/// Fits the constants of `prior`, and one scale for each further kernel, to the rows of use `fit`:
/// least squares over the logarithms of predicted over measured, each in units of how closely such
/// a figure can be expected to come out, with a weak pull towards the prior. Deterministic. Values
/// are rounded to three digits. The latency is fitted unless the table's hosts say it. A failure
/// is a defect of the engine.
Parsed<Fit> fit(const MeasurementTable& table, const HostModel& prior, std::uint32_t threads);

}  // namespace overlane::calibrate
