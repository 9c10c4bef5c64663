#pragma once

#include "scenarios/runner/load/prepare.h"
#include "topologies/compile/compile.h"

namespace overlane::runner {

/// Adds one Service with port 80 for each pod that traffic reaches through a Service, so that the
/// pattern determines the endpoints. Addresses are from the shoot's service range, after those of
/// the API server and the cluster DNS. Fails with `impossible-topology` if the range is too small.
Result<void> add_services(const Prepared& prepared, const effective::EffectiveDataplane& shoot,
                          Family family, compile::Compiled& states);

}  // namespace overlane::runner
