#pragma once

#include <array>

#include "topologies/effective/network_inputs.h"

namespace overlane::effective {

/// One of a shoot's ranges as documents give it.
struct GivenRange {
  const char* role;
  const manifest::Field<IpPrefix>* given;
};

/// The shoot's own ranges, or the defaults of its seed where it has none.
std::array<GivenRange, 3> given_ranges(const NetworkInputs& in);

}  // namespace overlane::effective
