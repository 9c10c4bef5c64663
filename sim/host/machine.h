#pragma once

#include <compare>
#include <cstdint>

#include "dataplane/net/units.h"
#include "sim/cost/offloads.h"

namespace overlane::host {

/// How fast packets pass between two pods of one node: where CPU time is free, a transfer there
/// would otherwise take no time at all.
inline constexpr BitsPerSecond kLocalRate{100'000'000'000};

/// What a NIC hashes to pick the receive queue of a UDP packet, as `ethtool -n eth0 rx-flow-hash
/// udp4` shows it. Of fragments, and of what is neither TCP nor UDP, every NIC hashes two addresses
/// only.
enum class UdpRss : std::uint8_t {
  FourTuple,  ///< Addresses and ports ("sdfn"): mlx5, ENA, gVNIC.
  TwoTuple,   ///< Addresses ("sd"): ixgbe, i40e and others, because fragments would be disordered.
};

/// The machine under a node: what is finite about it.
struct Machine {
  BitsPerSecond nic_rate{10'000'000'000};
  std::uint32_t cores = 4;  ///< Hardware threads, as Linux counts CPUs.
  /// Hardware threads that share a core, 1 or 2: with two, thread i and i + cores / 2 do, as Linux
  /// numbers them on x86.
  std::uint32_t threads_per_core = 1;
  /// Packets that one receive queue of the NIC holds for its core: `ethtool -g`, the default of
  /// mlx5 and ENA.
  std::uint32_t receive_ring_packets = 1024;
  /// Between two interrupts of one queue at least: the NIC moderates them (`ethtool -c`, rx-usecs).
  /// Drivers adapt it to the load between a few and some hundred µs; 8 µs is mlx5's for a moderate
  /// one.
  Picos interrupt_gap = microseconds(8);
  /// txqueuelen of an Ethernet device (Linux default): packets that wait for the NIC, those of one
  /// socket buffer (GSO) counted once.
  std::uint32_t nic_queue_packets = 1000;
  UdpRss udp_rss = UdpRss::FourTuple;
  cost::Offloads offloads;
  /// Packets steered to one core that wait for it (net.core.netdev_max_backlog, Linux's default).
  std::uint32_t backlog_packets = 1000;
  /// Receive packet steering over all cores (rps_cpus): off, as Linux has it by default.
  bool rps = false;

  auto operator<=>(const Machine&) const = default;
};

}  // namespace overlane::host
