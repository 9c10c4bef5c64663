#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/cost/cost_profile.h"
#include "sim/fabric/limits.h"
#include "sim/host/machine.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

/// One offload that is switched on or off.
struct OffloadSwitch {
  bool cost::Offloads::*which = nullptr;
  bool on = true;

  bool operator==(const OffloadSwitch&) const = default;
};

/// As ethtool -k and the files call it.
std::string_view name_of(const OffloadSwitch& offload);

/// The nodes' machines in a file; absent members keep the provider's defaults.
struct MachineSpec {
  std::optional<std::uint32_t> cores;
  std::optional<std::uint32_t> threads_per_core;
  std::optional<BitsPerSecond> nic;
  std::optional<std::uint32_t> queues;
  std::optional<std::uint32_t> receive_ring;
  std::optional<Picos> interrupt_gap;
  std::optional<host::UdpRss> udp_rss;
  std::optional<bool> rps;
  std::vector<OffloadSwitch> offloads;
  /// Requires `nic`: credits are a time at the NIC's rate.
  struct Bandwidth {
    BitsPerSecond baseline;
    Picos burst;
  };
  std::optional<Bandwidth> bandwidth;
  std::optional<fabric::PacketAllowance> packets;
};

/// Decodes the block `machine`, for nodes connected by `wire`: with veth pairs, NIC fields are
/// errors.
MachineSpec decode_machine(document::Fields& machine, cost::Wire wire);

/// Decodes the key `wire`.
std::optional<cost::Wire> decode_wire(document::Fields& fields);
/// As files spell it.
std::string_view to_string(cost::Wire wire);

/// Decodes the block `offloads`: names of `ethtool -k`, each on or off.
std::vector<OffloadSwitch> decode_offloads(document::Fields& offloads);
void apply(const std::vector<OffloadSwitch>& switches, cost::Offloads& offloads);

}  // namespace overlane::spec
