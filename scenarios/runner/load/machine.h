#pragma once

#include "scenarios/runner/load/assumptions.h"
#include "scenarios/spec/topology_file.h"
#include "sim/fabric/limits.h"
#include "sim/host/machine.h"

namespace overlane::runner {

/// The machine of each node: from the file, else the provider's default.
host::Machine machine(const spec::MachineSpec& asked, cost::Wire wire, effective::Provider provider,
                      Assumptions& assumptions);

/// The provider's limits of such machines; none between namespaces.
fabric::Limits limits(const spec::VpcSpec& vpc, const spec::ShootSpec& shoot,
                      const host::Machine& machine, effective::Provider provider,
                      Assumptions& assumptions);

}  // namespace overlane::runner
