#pragma once

#include "scenarios/runner/load/assumptions.h"
#include "scenarios/spec/topology_file.h"
#include "sim/fabric/limits.h"
#include "sim/host/machine.h"

namespace overlane::runner {

/// The machine under each node: what the file says, else what is usual at the shoot's provider.
host::Machine machine(const spec::MachineSpec& asked, cost::Wire wire, effective::Provider provider,
                      Assumptions& assumptions);

/// What the provider allows such machines besides; nothing is limited between namespaces.
fabric::Limits limits(const spec::VpcSpec& vpc, const spec::ShootSpec& shoot,
                      const host::Machine& machine, effective::Provider provider,
                      Assumptions& assumptions);

}  // namespace overlane::runner
