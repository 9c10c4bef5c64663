#pragma once

#include "topologies/effective/addressing.h"
#include "topologies/effective/dataplane_decision.h"

namespace overlane::effective {

/// What is masqueraded, and the basis of each list.
struct MasqueradeDecision {
  Masquerade masquerade;
  Basis sources;
  Basis except;
  Basis upstream_dns;
};

MasqueradeDecision decide_masquerade(const DataplaneInputs& inputs, const Addressing& addressing,
                                     const Dataplane& dataplane);

}  // namespace overlane::effective
