#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/cost/wire.h"
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

/// The nodes' machines in a file; absent members keep the provider's defaults.
struct MachineSpec {
  std::optional<std::uint32_t> cores;
  std::optional<std::uint32_t> threads_per_core;
  std::optional<BitsPerSecond> nic;
  std::optional<std::uint32_t> receive_ring;
  std::optional<Picos> interrupt_gap;
  std::optional<host::UdpRss> udp_rss;
  std::optional<bool> rps;
  std::vector<OffloadSwitch> offloads;
  /// Needs `nic` for its credits, which are that much time at the NIC's rate.
  struct Bandwidth {
    BitsPerSecond baseline;
    Picos burst;
  };
  std::optional<Bandwidth> bandwidth;
  std::optional<fabric::PacketAllowance> packets;
};

/// The block `machine`, of machines that `wire` joins: a veth pair has no NIC to be described.
MachineSpec decode_machine(document::Fields& machine, cost::Wire wire);

/// The key `wire`.
std::optional<cost::Wire> decode_wire(document::Fields& fields);

/// The block `offloads`: names of `ethtool -k`, each on or off.
std::vector<OffloadSwitch> decode_offloads(document::Fields& offloads);
void apply(const std::vector<OffloadSwitch>& switches, cost::Offloads& offloads);

}  // namespace overlane::spec
