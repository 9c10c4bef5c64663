#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "results/finding/finding.h"
#include "scenarios/calibrate/measurement_table.h"

namespace overlane::calibrate {

/// Options of measure_table().
struct TableMeasurement {
  std::uint32_t slices = 9;  ///< Number of slices per row, at least 2; a figure is their median.
  std::chrono::milliseconds slice{300};
  const std::atomic<bool>* stop = nullptr;  ///< Ends the measurement if true; may be null.
  /// Called before each slice. `slice` counts from 1. May be empty.
  std::function<void(std::uint32_t slice, std::size_t row)> on_row;
};

/// Measures the rows of a table whose hosts are namespaces (`wire: veth`) on this machine's kernel,
/// one after the other in short slices, and returns the table with the measured figures. Rows with
/// Use::LeftOut keep it; rows that this kernel cannot measure get it, with the reason. Needs root.
Parsed<MeasurementTable> measure_table(const MeasurementTable& plan,
                                       const TableMeasurement& options);

/// Writes a table of namespaces, with its rates, as a file for load_table().
std::string write_table(const MeasurementTable& table);

}  // namespace overlane::calibrate
