#pragma once

#include <string>

#include "scenarios/calibrate/measurement_table.h"

namespace overlane::calibrate {

/// A figure with its unit, in three or four digits: "39.4 Gbit/s", "44.5 k/s", "7.04 µs", "8.3 %".
std::string figure_text(Quantity quantity, double value);

/// A constant: "0.174", "15000".
std::string nanoseconds_text(double value);

/// "+3.4 %"
std::string error_text(double error);

}  // namespace overlane::calibrate
