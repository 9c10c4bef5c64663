#pragma once

#include <algorithm>
#include <cassert>
#include <compare>
#include <cstdint>

#include "dataplane/net/units.h"
#include "sim/cost/cost_profile.h"

namespace overlane::host {

// The hardware of a node and its links: cores, NIC queues and rates, with Linux's settings for
// them. These are values that the engine reads when a run begins; the queues themselves are in
// sim/run. Times on a link include the Ethernet frame around an IP packet.

/// Bytes of Ethernet around an IP packet: preamble 8, header 14, FCS 4, gap 12 (IEEE 802.3).
inline constexpr std::int64_t kFrameOverhead = 38;
/// Minimum payload of an Ethernet frame in bytes; shorter payloads are padded.
inline constexpr std::int64_t kMinFramePayload = 46;

/// How long an IP packet occupies a link.
constexpr Picos frame_time(std::int64_t ip_bytes, BitsPerSecond rate) {
  return serialization_time(Bytes{std::max(ip_bytes, kMinFramePayload) + kFrameOverhead}, rate);
}

/// A link with a precomputed time per byte: at common rates, a byte takes a whole number of
/// picoseconds.
class Link {
 public:
  /// `rate` is > 0.
  explicit constexpr Link(BitsPerSecond rate)
      : time_or_rate_(kBytePicos % rate.count == 0 ? kBytePicos / rate.count : -rate.count) {
    assert(rate.count > 0);
  }

  /// frame_time() at the link's rate.
  constexpr Picos frame_time(std::int64_t ip_bytes) const {
    return time_of(std::max(ip_bytes, kMinFramePayload) + kFrameOverhead);
  }
  /// serialization_time() at the link's rate.
  constexpr Picos time_of(std::int64_t bytes) const {
    if (time_or_rate_ < 0) return serialization_time(Bytes{bytes}, {-time_or_rate_});
    return {bytes * time_or_rate_};
  }

 private:
  static constexpr std::int64_t kBytePicos = 8'000'000'000'000;  ///< Time of a byte at 1 bit/s.

  /// Picoseconds per byte if that is a whole number; otherwise the negative rate. One number, so
  /// that a NIC fits a cache line.
  std::int64_t time_or_rate_;
};

/// Rate between two pods of one node: if CPU time is free, a transfer there would otherwise take no
/// time.
inline constexpr BitsPerSecond kLocalRate{100'000'000'000};

/// Header fields that a NIC hashes to select the receive queue of a UDP packet, as shown by
/// `ethtool -n eth0 rx-flow-hash udp4`. For fragments, and for protocols other than TCP and UDP,
/// every NIC hashes the two addresses only.
enum class UdpRss : std::uint8_t {
  FourTuple,  ///< Addresses and ports ("sdfn"): mlx5, ENA, gVNIC.
  /// Addresses ("sd"), to keep fragments in order: ixgbe (IXGBE_FLAG2_RSS_FIELD_IPV4_UDP is off).
  TwoTuple,
};

/// Headers that a NIC hashes to select the receive queue of a tunnel's packet. ethtool neither
/// shows nor sets this.
enum class TunnelRss : std::uint8_t {
  /// The outer header. In IP in IP it has no ports, so that all flows between two nodes share a
  /// queue. The source port of VXLAN and Geneve is a hash of the inner flow.
  Outer,
  Inner,  ///< The inner header, unless the outer packet is a fragment.
};

/// Hardware limits of a node.
struct Machine {
  BitsPerSecond nic_rate{10'000'000'000};
  std::uint32_t cores = 4;  ///< Hardware threads, as Linux counts CPUs.
  /// Hardware threads per core, 1 or 2. With 2, threads i and i + cores / 2 share a core, as Linux
  /// numbers them on x86.
  std::uint32_t threads_per_core = 1;
  /// Packets in the ring of one receive queue (`ethtool -g`, the default of mlx5 and ENA).
  std::uint32_t receive_ring_packets = 1024;
  /// Least time between two interrupts of one queue (`ethtool -c`, rx-usecs). Drivers adapt it to
  /// the load, from a few to some hundred µs; 8 µs is mlx5's value for moderate load.
  Picos interrupt_gap = microseconds(8);
  /// txqueuelen of an Ethernet device (Linux default): packets queued for the NIC; a GSO buffer
  /// counts as one.
  std::uint32_t nic_queue_packets = 1000;
  /// Number of receive queues (`ethtool -l`), served by the first cores; 0: one for each core.
  std::uint32_t nic_queues = 0;
  UdpRss udp_rss = UdpRss::FourTuple;
  TunnelRss ipip_rss = TunnelRss::Outer;
  TunnelRss udp_tunnel_rss = TunnelRss::Outer;  ///< For VXLAN and Geneve.
  cost::Offloads offloads;
  /// Steered packets queued for one core (net.core.netdev_max_backlog, Linux default).
  std::uint32_t backlog_packets = 1000;
  /// Receive packet steering over all cores (rps_cpus); off by default in Linux.
  bool rps = false;

  auto operator<=>(const Machine&) const = default;
};

/// The number of cores that have a receive queue; at least 1.
constexpr std::uint32_t receive_queues(const Machine& machine) {
  const std::uint32_t most = std::max(machine.cores, 1u);
  return machine.nic_queues == 0 ? most : std::min(machine.nic_queues, most);
}

/// The default machine of nodes that are connected by `wire`. A virtio NIC has one pair of queues
/// (QEMU `queues=1`; Nova's hw:vif_multiqueue_enabled is off), does not delay interrupts
/// (VIRTIO_NET_F_NOTF_COAL is off), and 256 descriptors per queue (QEMU rx_queue_size). While these
/// are in use, buffers stay in the tap device (TUN_READQ_SIZE 500, drivers/net/tun.c): its room is
/// counted here, too. With several queues the tap device hashes as the flow dissector does, which
/// looks into IP in IP but not into UDP (tun_automq_select_queue, drivers/net/tun.c).
constexpr Machine usual_machine(cost::Wire wire) {
  Machine machine;
  machine.offloads = cost::usual_offloads(wire);
  if (wire != cost::Wire::Virtio) return machine;
  machine.nic_queues = 1;
  machine.interrupt_gap = {};
  machine.ipip_rss = TunnelRss::Inner;
  machine.receive_ring_packets = 256 + 500;
  return machine;
}

/// A veth pair has no rate; this is far above the rate of copying between namespaces.
inline constexpr BitsPerSecond kVethRate{1'000'000'000'000};

}  // namespace overlane::host
