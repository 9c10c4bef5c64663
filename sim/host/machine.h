#pragma once

#include <compare>
#include <cstdint>

#include "dataplane/net/units.h"
#include "sim/cost/offloads.h"

namespace overlane::host {

/// How fast packets pass between two pods of one node: where CPU time is free, a transfer there
/// would otherwise take no time at all.
inline constexpr BitsPerSecond kLocalRate{100'000'000'000};

/// The machine under a node: what is finite about it.
struct Machine {
  BitsPerSecond nic_rate{10'000'000'000};
  std::uint32_t cores = 4;
  /// net.core.netdev_max_backlog (Linux default): packets that wait for one core.
  std::uint32_t backlog_packets = 1000;
  /// txqueuelen of an Ethernet device (Linux default): packets that wait for the NIC.
  std::uint32_t nic_queue_packets = 1000;
  cost::Offloads offloads;

  auto operator<=>(const Machine&) const = default;
};

}  // namespace overlane::host
