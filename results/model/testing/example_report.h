#pragma once

#include "results/model/run_report.h"

namespace overlane::model {

/// A report in which every field is set: a routed baseline and an IPIP variant that ran, and a
/// VXLAN variant that was not admitted.
RunReport example_report();

}  // namespace overlane::model
