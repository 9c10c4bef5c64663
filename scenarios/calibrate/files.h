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

/// The profile that fits start from, and the one of hosts without measurements.
inline constexpr const char* kPriorProfile = "stage-estimates";
inline constexpr const char* kUsualProfile = "linux-server";

/// The library's profiles of hosts with NICs, which were fitted to its tables.
Result<std::vector<spec::CostProfileFile>, Findings> fitted_hosts();

/// The profile of hosts without measurements, as a file: of each cost the geometric mean of
/// what `hosts` were found to take, and the range as its source. What none of them tells is the
/// prior's.
std::string write_usual_profile(const std::vector<spec::CostProfileFile>& hosts,
                                const spec::CostProfileFile& prior);

/// What the library's other hosts say of those of one of its tables: their mean.
Result<HostModel, Findings> model_of_others(const std::string& table);

}  // namespace overlane::calibrate
