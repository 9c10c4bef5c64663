#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scenarios/calibrate/calibration_report.h"

namespace overlane::calibrate {

/// How a row differs from all fitted rows; the first applicable value.
enum class Novelty : std::uint8_t {
  System,  ///< No row of its system was fitted: another CNI, encapsulation or datapath.
  Kernel,  ///< No row of its system under its kernel was fitted.
  Mtu,     ///< No row of its system and kernel with its MTUs and offloads was fitted.
  Load,    ///< No row with its load, such as the number of flows, was fitted.
  Host,    ///< No row of its hosts was fitted.
};
std::string_view to_string(Novelty novelty);

/// The prediction error of rows with one kind of difference.
struct Generalisation {
  Novelty novelty = Novelty::Load;
  MarginKind kind = MarginKind::Throughput;
  std::size_t figures = 0;
  double mean_error = 0;  ///< Of absolute values.
};

/// Errors of the rows of use `check`, in the order of Novelty. If the model was fitted to other
/// hosts (`foreign`): of all rows, as Host.
std::vector<Generalisation> generalise(const CalibrationReport& report, bool foreign);

}  // namespace overlane::calibrate
