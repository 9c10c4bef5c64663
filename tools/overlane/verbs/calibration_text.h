#pragma once

#include <string>
#include <vector>

#include "results/report/column_table.h"
#include "scenarios/calibrate/calibration_report.h"

namespace overlane::command {

/// A calibration as text: constants, rows with residuals, margins, order and ratios.
std::string calibration_table(const calibrate::CalibrationReport& report, report::Style style);

/// A Markdown page on several tables. `foreign`: predictions by models of other hosts.
std::string fidelity_page(const std::vector<calibrate::CalibrationReport>& reports,
                          const std::vector<calibrate::CalibrationReport>& foreign);

}  // namespace overlane::command
