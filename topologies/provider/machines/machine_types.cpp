#include "topologies/provider/machines/machine_types.h"

#include <algorithm>

#include "topologies/provider/machines/machine_tables.h"

namespace overlane::provider {
namespace {

constexpr const MachineTable* kMachineTables[] = {
    &kAliCloudMachines, &kAwsMachines,    &kAzureMachines,
    &kGcpMachines,      &kHcloudMachines, &kOpenStackMachines,
};

/// `*` in `pattern` stands for any characters but '-'.
bool matches_machine_name(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() != '*')
    return !name.empty() && name.front() == pattern.front() &&
           matches_machine_name(pattern.substr(1), name.substr(1));
  if (matches_machine_name(pattern.substr(1), name)) return true;
  return !name.empty() && name.front() != '-' && matches_machine_name(pattern, name.substr(1));
}

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

}  // namespace overlane::provider
