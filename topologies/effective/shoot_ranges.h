#pragma once

#include <array>

#include "topologies/effective/network_inputs.h"

namespace overlane::effective {

/// One of a shoot's ranges as its documents give it.
struct GivenRange {
  const char* role;
  const manifest::Field<IpPrefix>* given;
};

inline std::array<GivenRange, 3> given_ranges(const NetworkInputs& in) {
  return {
      {{"pods", &in.spec.pods}, {"services", &in.spec.services}, {"nodes", &in.spec.shoot.nodes}}};
}

}  // namespace overlane::effective
