#pragma once

#include "topologies/provider/machines/machine_types.h"

namespace overlane::provider {

// Each is defined in its own file of this folder; machine_types.cpp lists them.
extern const MachineTable kAliCloudMachines;
extern const MachineTable kAwsMachines;
extern const MachineTable kAzureMachines;
extern const MachineTable kGcpMachines;
extern const MachineTable kHcloudMachines;
extern const MachineTable kOpenStackMachines;

}  // namespace overlane::provider
