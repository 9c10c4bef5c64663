// Machine types (flavors) of SAP Cloud Infrastructure on OpenStack, written by hand. Their names
// say the number of vCPUs and the memory. Columns: name, cores, threads per core, sustained and
// burst rate in Mbit/s, receive queues, packets per second; 0: not published.

#include "topologies/provider/machines/machine_tables.h"

namespace overlane::provider {
namespace {

constexpr MachineType kOpenStackTypes[] = {
    {"g_c2_m8*", 2},    {"g_c4_m16*", 4},   {"g_c6_m24*", 6},    {"g_c8_m32*", 8},
    {"g_c12_m48*", 12}, {"g_c16_m64*", 16}, {"g_c32_m128*", 32}, {"g_c64_m256*", 64},
};

}  // namespace

constinit const MachineTable kOpenStackMachines{
    .provider = "openstack",
    .cloud = "SAP Cloud Infrastructure (OpenStack)",
    .source =
        "kyma-project/kyma-environment-broker "
        "docs/contributor/adr/ADR-002-abstract-machines-names.md",
    .remark =
        "Flavors are the operator's: others need a CloudProfile or a Topology. No document "
        "gives their network rates.",
    .types = kOpenStackTypes};

}  // namespace overlane::provider
