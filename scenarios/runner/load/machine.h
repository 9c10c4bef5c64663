#pragma once

#include "scenarios/runner/load/assumptions.h"
#include "scenarios/spec/topology_file.h"
#include "sim/fabric/limits.h"
#include "sim/host/machine.h"
#include "topologies/effective/landscape.h"

namespace overlane::runner {

/// What connects a provider's nodes, where no document says.
cost::Wire usual_wire(const effective::EffectiveDataplane& shoot, Assumptions& assumptions);

/// The machine of each node: from the file, or the provider's default.
host::Machine machine(const spec::MachineSpec& asked, cost::Wire wire,
                      const effective::EffectiveDataplane& shoot, Assumptions& assumptions);

/// The fabric's limits for such machines: from the file, the landscape or the provider, in this
/// order. None between namespaces.
fabric::Limits limits(const spec::VpcSpec& vpc, const spec::ShootSpec& shoot,
                      const host::Machine& machine, effective::Provider provider,
                      const effective::Landscape& landscape, Assumptions& assumptions);

}  // namespace overlane::runner
