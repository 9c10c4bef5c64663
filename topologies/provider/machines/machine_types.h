#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "topologies/sources/citation.h"

namespace overlane::provider {

// The published figures of clouds about their machine types (instance types, sizes, flavors, server
// types): a table per provider, each with its document and date. Clouds publish different figures,
// so every figure except the name may be missing. Missing figures are not estimated here. Tables
// are constants: any thread may read them.
//
// No cloud publishes the size of the bucket of burst credits, so no row has it. The limit of one
// flow is the same for all types of a cloud (Machines::single_flow in profile.h).

/// One machine type. A figure is 0 if it is not published.
struct MachineType {
  /// `spec.provider.workers[].machine.type`. `*` matches any characters except '-'; it is used if
  /// the figures of a series depend on the number of cores only.
  std::string_view name;
  std::uint32_t cores = 0;             ///< Hardware threads, as Linux counts CPUs.
  std::uint32_t threads_per_core = 0;  ///< 1 or 2.
  /// Sustained network bandwidth in each direction, Mbit/s.
  std::uint32_t baseline_mbps = 0;
  /// Network bandwidth in each direction while burst credits last, Mbit/s; at least the baseline.
  std::uint32_t burst_mbps = 0;
  std::uint32_t queues = 0;  ///< Maximum receive queues of the first NIC.
  /// Limit of packets per second in each direction. Few clouds have or publish such a limit.
  std::uint32_t packets_per_second = 0;

  /// Whether the network carries more than its baseline while credits last.
  constexpr bool bursts() const { return burst_mbps > baseline_mbps && baseline_mbps > 0; }
};

/// The machine types of one provider.
struct MachineTable {
  std::string_view provider;  ///< `spec.provider.type`.
  std::string_view cloud;     ///< "Amazon EC2".
  sources::Citation source;
  std::string_view remark;  ///< The meaning of the figures, in one or more sentences.
  std::span<const MachineType> types;
};

/// The tables of this folder, by provider name.
std::span<const MachineTable* const> machine_tables();

/// A machine type and the table that has it.
struct KnownMachine {
  MachineType type;
  const MachineTable* table = nullptr;
};

/// The machine type `name` of the provider `spec.provider.type`; nothing if no table has it.
std::optional<KnownMachine> find_machine_type(std::string_view provider, std::string_view name);

// The tables. Each is defined in the file of its provider, small ones in machine_types.cpp, which
// lists them all.
extern const MachineTable kAliCloudMachines;
extern const MachineTable kAwsMachines;
extern const MachineTable kAzureMachines;
extern const MachineTable kGcpMachines;
extern const MachineTable kHcloudMachines;
extern const MachineTable kOpenStackMachines;

}  // namespace overlane::provider
