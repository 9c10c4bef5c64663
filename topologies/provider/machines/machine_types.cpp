#include "topologies/provider/machines/machine_types.h"

#include <algorithm>

// Two small tables, written by hand: machine types (server types) of Hetzner Cloud, and machine
// types (flavors) of SAP Cloud Infrastructure on OpenStack, whose names contain the number of vCPUs
// and the memory. Columns: name, cores, threads per core, sustained and burst rate in Mbit/s,
// receive queues, packets per second; 0: not published.

namespace overlane::provider {

namespace {

constexpr const MachineTable* kMachineTables[] = {
    &kAliCloudMachines, &kAwsMachines,    &kAzureMachines,
    &kGcpMachines,      &kHcloudMachines, &kOpenStackMachines,
};

/// Whether the name matches the pattern, in which `*` matches any characters except '-'.
bool matches_machine_name(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() != '*')
    return !name.empty() && name.front() == pattern.front() &&
           matches_machine_name(pattern.substr(1), name.substr(1));
  if (matches_machine_name(pattern.substr(1), name)) return true;
  return !name.empty() && name.front() != '-' && matches_machine_name(pattern, name.substr(1));
}

constexpr MachineType kHcloudTypes[] = {
    {"cx11", 1, 0},   {"cx21", 2, 0},  {"cx31", 2, 0},   {"cx41", 4, 0},   {"cx51", 8, 0},
    {"cx22", 2, 0},   {"cx32", 4, 0},  {"cx42", 8, 0},   {"cx52", 16, 0},  {"cx23", 2, 0},
    {"cx33", 4, 0},   {"cx43", 8, 0},  {"cx53", 16, 0},  {"cpx02", 1, 0},  {"cpx11", 2, 0},
    {"cpx12", 1, 0},  {"cpx21", 3, 0}, {"cpx22", 2, 0},  {"cpx31", 4, 0},  {"cpx32", 4, 0},
    {"cpx41", 8, 0},  {"cpx42", 8, 0}, {"cpx51", 16, 0}, {"cpx52", 12, 0}, {"cpx62", 16, 0},
    {"cax11", 2, 0},  {"cax21", 4, 0}, {"cax31", 8, 0},  {"cax41", 16, 0}, {"ccx12", 2, 2},
    {"ccx22", 4, 2},  {"ccx32", 8, 2}, {"ccx42", 16, 2}, {"ccx52", 32, 2}, {"ccx62", 48, 2},
    {"ccx13", 2, 2},  {"ccx23", 4, 2}, {"ccx33", 8, 2},  {"ccx43", 16, 2}, {"ccx53", 32, 2},
    {"ccx63", 48, 2},
};

constexpr MachineType kOpenStackTypes[] = {
    {"g_c2_m8*", 2},    {"g_c4_m16*", 4},   {"g_c6_m24*", 6},    {"g_c8_m32*", 8},
    {"g_c12_m48*", 12}, {"g_c16_m64*", 16}, {"g_c32_m128*", 32}, {"g_c64_m256*", 64},
};

}  // namespace

std::span<const MachineTable* const> machine_tables() {
  return kMachineTables;
}

std::optional<KnownMachine> find_machine_type(std::string_view provider, std::string_view name) {
  const auto* table = std::ranges::find(kMachineTables, provider, &MachineTable::provider);
  if (table == std::ranges::end(kMachineTables)) return std::nullopt;
  const auto type = std::ranges::find_if((*table)->types, [&](const MachineType& row) {
    return matches_machine_name(row.name, name);
  });
  if (type == (*table)->types.end()) return std::nullopt;
  return KnownMachine{*type, *table};
}

constinit const MachineTable kHcloudMachines{
    .provider = "hcloud",
    .cloud = "Hetzner Cloud",
    // Types that are no longer sold: API server_types, as demisto/content's pack HCloud records it.
    // Threads per core: Hetzner's documentation ("1 vCPU = 1 hyper-thread") for dedicated vCPUs.
    .source = "https://www.hetzner.com/cloud/",
    .remark = "Hetzner publishes no rates of private networks.",
    .types = kHcloudTypes};

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
