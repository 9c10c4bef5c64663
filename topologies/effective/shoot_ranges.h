#pragma once

#include <array>

#include "topologies/effective/network_inputs.h"
#include "topologies/effective/rule.h"

namespace overlane::effective {

/// One of a shoot's ranges as documents give it.
struct GivenRange {
  const char* role;
  const manifest::Field<IpPrefix>* given;
};

/// The shoot's own ranges, or the defaults of its seed where it has none.
std::array<GivenRange, 3> given_ranges(const NetworkInputs& in);

/// A finding of the running rule for every two of them that overlap.
void report_overlaps(const NetworkInputs& in, RuleReport& report);

}  // namespace overlane::effective
