#pragma once

#include <optional>

#include "results/model/run_report.h"
#include "scenarios/runner/load/assumptions.h"
#include "scenarios/spec/topology_file.h"
#include "sim/fabric/limits.h"
#include "sim/host/machine.h"
#include "topologies/effective/landscape.h"

namespace overlane::runner {

/// What connects a provider's nodes, where no document says.
cost::Wire usual_wire(const effective::EffectiveDataplane& shoot, Assumptions& assumptions);

/// The machine of each node. A Topology wins over the CloudProfile, which wins over what the cloud
/// publishes of the machine type; what none of them says is assumed. A Topology that gives the NIC
/// describes the whole network of its machines: nothing published about it counts then.
host::Machine machine(const spec::MachineSpec& asked, cost::Wire wire,
                      const effective::EffectiveDataplane& shoot, Assumptions& assumptions);

/// The fabric's limits for such machines: from the file, the landscape, the machine type or the
/// provider. None between namespaces.
fabric::Limits limits(const spec::VpcSpec& vpc, const spec::ShootSpec& shoot,
                      const host::Machine& machine, const effective::EffectiveDataplane& effective,
                      const effective::Landscape& landscape, Assumptions& assumptions);

/// The machine for the report; nothing for namespaces, which have neither NICs nor machine types.
std::optional<model::NodeMachine> machine_facts(const spec::MachineSpec& asked, cost::Wire wire,
                                                const effective::NodeMachine& node,
                                                const host::Machine& machine,
                                                const fabric::Limits& limits);

}  // namespace overlane::runner
