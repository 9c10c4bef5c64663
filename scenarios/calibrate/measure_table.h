#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "results/finding/finding.h"
#include "scenarios/calibrate/measurement_table.h"

namespace overlane::calibrate {

struct TableMeasurement {
  std::uint32_t slices = 9;  ///< Slices of each row, at least 2; the figure is their median.
  std::chrono::milliseconds slice{300};
  const std::atomic<bool>* stop = nullptr;  ///< Ends it; may be null.
  /// Before each slice, from 1 on; may be empty.
  std::function<void(std::uint32_t slice, std::size_t row)> on_row;
};

/// Measures the rows of a table whose hosts are namespaces (`wire: veth`) on this machine's kernel,
/// one after the other in short slices, and returns the table with what was measured. Rows that are
/// left out remain so, and those that this kernel cannot measure become so, with the reason. Needs
/// root.
Parsed<MeasurementTable> measure_table(const MeasurementTable& plan,
                                       const TableMeasurement& options);

/// A table of namespaces, with its rates, as a file that load_table() reads.
std::string write_table(const MeasurementTable& table);

}  // namespace overlane::calibrate
