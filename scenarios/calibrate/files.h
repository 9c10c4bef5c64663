#pragma once

#include <string>
#include <vector>

#include "results/finding/result.h"
#include "scenarios/calibrate/calibration_report.h"
#include "scenarios/calibrate/host_model.h"
#include "scenarios/calibrate/measurement_table.h"
#include "scenarios/spec/cost_profile.h"

namespace overlane::calibrate {

/// A MeasurementTable by its name in the library (`cloudlab` is table-cloudlab.yaml) or its path.
Result<MeasurementTable, Findings> load_table(const std::string& name);

/// A CostProfile by its name in the library or its path.
Result<spec::CostProfileFile, Findings> load_profile(const std::string& name);

/// The names of the library's tables. For each there is a profile of the same name.
std::vector<std::string> library_tables();

/// What a profile says of a class of hosts; 5 µs of latency when it says none.
HostModel model_of(const spec::CostProfileFile& profile);

/// A fitted model as a CostProfile file, every stage with where its value comes from: the table, or
/// the source in `prior`.
std::string write_profile(const CalibrationReport& report, const spec::CostProfileFile& prior);

}  // namespace overlane::calibrate
