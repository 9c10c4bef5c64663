#pragma once

#include "scenarios/runner/load/prepare.h"
#include "topologies/compile/compile.h"

namespace overlane::runner {

/// Puts a Service of its own, at port 80, in front of each pod that the scenario's traffic may
/// reach through one, so that its pattern says who talks to whom. Their addresses are those of the
/// shoot's service range behind the API server's and the cluster DNS's. Refused with
/// `impossible-topology` when the range does not hold as many.
Result<void> add_services(const Prepared& prepared, const effective::EffectiveDataplane& shoot,
                          Family family, compile::Compiled& states);

}  // namespace overlane::runner
