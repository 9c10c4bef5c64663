#pragma once

#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/plan/plan.h"

namespace overlane::runner {

/// Returns a note `shared-receive-core` for each run in which the NIC of a node gave several flows
/// to one busy core, while others with receive queues got none. With repetitions, for the first
/// only: the others have other ports, and so other cores.
Findings shared_cores(const spec::Scenario& scenario, const Plan& plan,
                      const Measurements& measured);

/// Returns a note `requests-behind-streams` for each run in which requests and streams share a busy
/// core: their order there is not Linux's. With repetitions, for the first only.
Findings requests_behind_streams(const spec::Scenario& scenario, const Plan& plan,
                                 const Measurements& measured);

}  // namespace overlane::runner
