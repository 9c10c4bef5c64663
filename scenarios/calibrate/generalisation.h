#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scenarios/calibrate/calibration_report.h"

namespace overlane::calibrate {

/// What sets a row that was not fitted apart from all that were; the first that holds.
enum class Novelty : std::uint8_t {
  System,  ///< None of its system was fitted: another CNI, encapsulation or datapath.
  Kernel,  ///< None of its system under its kernel.
  Mtu,     ///< … with its MTUs and offloads.
  Load,    ///< Another load, such as more flows.
  Host,    ///< Everything: the hosts were not fitted at all.
};
std::string_view to_string(Novelty novelty);

/// How far predictions of rows are off that are new in one way.
struct Generalisation {
  Novelty novelty = Novelty::Load;
  MarginKind kind = MarginKind::Throughput;
  std::size_t figures = 0;
  double mean_error = 0;  ///< Of absolute values.
};

/// Of the rows to check, in the order of Novelty. Where the report's model knows nothing of these
/// hosts (`foreign`), of all rows, as Host.
std::vector<Generalisation> generalise(const CalibrationReport& report, bool foreign);

}  // namespace overlane::calibrate
