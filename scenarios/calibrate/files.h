#pragma once

#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "scenarios/calibrate/calibration_report.h"
#include "scenarios/calibrate/measurement_table.h"
#include "scenarios/calibrate/prediction.h"
#include "scenarios/spec/cost_profile.h"

namespace overlane::calibrate {

// Files of calibration: reads MeasurementTables and CostProfiles by their name in the library or by
// path, and writes CostProfiles. A written profile names the source of every cost. Also the texts
// of figures and constants that files and pages share.

/// A figure with its unit, in three or four digits: "39.4 Gbit/s", "44.5 k/s", "7.04 µs", "8.3 %".
std::string figure_text(Quantity quantity, double value);

/// A constant: "0.174", "15000".
std::string nanoseconds_text(double value);

/// "+3.4 %"
std::string error_text(double error);

/// Loads a MeasurementTable by its name in the library (`cloudlab` is table-cloudlab.yaml) or its
/// path.
Result<MeasurementTable, Findings> load_table(const std::string& name);

/// Loads a CostProfile by its name in the library or its path.
Result<spec::CostProfileFile, Findings> load_profile(const std::string& name);

/// The names of the library's tables.
std::vector<std::string> library_tables();
/// The names of tables with a profile of the same name, which is fitted to the table. The other
/// tables are only predicted.
std::vector<std::string> fitted_tables();

/// The host model of a profile. The latency is 5 µs if the profile has none.
HostModel model_of(const spec::CostProfileFile& profile);

/// Knowledge about a table's hosts, provided that the profile was measured on them: it covers the
/// constants that those measurements determined. All others differ as from any host to another.
Knowledge knowledge_of(const spec::CostProfileFile& profile, const MeasurementTable& table);

/// Writes a fitted model as a CostProfile file, with the source of every stage: the table, or the
/// stage's source in `prior`.
std::string write_profile(const CalibrationReport& report, const spec::CostProfileFile& prior);

/// What publications say about single stages: the initial profile of the library's own fits.
inline constexpr const char* kPriorProfile = "stage-estimates";

/// The profile of hosts without measurements, which is the mean of the library's fitted hosts with
/// the same wire: linux-guest for virtio, otherwise linux-server. Fits of tables outside the
/// library begin with it.
const char* usual_profile(cost::Wire wire);

/// The library's fitted profiles of which usual_profile(wire) is the mean: virtual machines for
/// virtio, otherwise servers, and of virtual machines only the hypervisor's costs, since their
/// kernels run on guests.
Result<std::vector<spec::CostProfileFile>, Findings> fitted_hosts(cost::Wire wire);

/// Writes the profile `name` for hosts without measurements. Each cost is the geometric mean over
/// `hosts`, with the range as its source. Costs that no host determines come from the prior.
std::string write_usual_profile(const char* name, const std::vector<spec::CostProfileFile>& hosts,
                                const spec::CostProfileFile& prior);

/// The mean model of the library's fitted hosts with the same wire as those of `table`, without
/// them.
Result<HostModel, Findings> model_of_others(const MeasurementTable& table);

}  // namespace overlane::calibrate
