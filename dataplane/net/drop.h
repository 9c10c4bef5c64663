#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace overlane {

// Drop reasons: the one closed list by which every executor, the simulator and all reports
// count lost packets.

/// Why a packet went no further. The list is closed: every executor counts by it, reports spell it
/// with the names of kDrops, and a new reason is one row here and one row in the tests.
enum class Drop : std::uint8_t {
  // The packet itself.
  Malformed,
  BadChecksum,
  UnsupportedProtocol,
  // Lookup on a node.
  NoRoute,
  BlackholeRoute,
  UnreachableRoute,
  NoNeighbour,
  NoDevice,
  DeviceDown,
  NoSuchPod,
  NotLocal,
  Martian,
  ProhibitRoute,
  // Checks on a node.
  TtlExpired,
  MtuExceeded,
  ReceiveMtuExceeded,
  RpFilter,
  SourceSpoofed,
  PacketFilter,
  TunnelSource,
  TunnelUnknown,
  TunnelLoop,
  AllowedIps,
  EcnCorrupted,
  ReassemblyTimeout,
  ReassemblyOverflow,
  ConntrackFull,
  NatExhausted,
  NatDeviceChanged,
  NoEndpoints,
  // The fabric.
  FabricNoRoute,
  FabricBlackhole,
  FabricForeignInstance,
  FabricTtlExpired,
  FabricMtuExceeded,
  FabricSourceCheck,
  FabricDestinationCheck,
  FabricProtocolFilter,
  FabricPacketFilter,
  FabricFragment,
  FabricAllowance,
  // Queues and hosts.
  CpuBacklogFull,
  NicQueueFull,
  FabricQueueFull,
  SocketBufferFull,
  NoSocket,
  NodeGone,
  RandomLoss,
};

/// What a drop reason is called and what it means.
struct DropFacts {
  Drop drop;
  std::string_view name;     ///< The key under `drops` in every report.
  std::string_view meaning;  ///< One sentence for a person.
};

inline constexpr std::array kDrops = {
    DropFacts{Drop::Malformed, "malformed", "a header is truncated or contradicts itself"},
    DropFacts{Drop::BadChecksum, "bad-checksum", "a header checksum is wrong"},
    DropFacts{Drop::UnsupportedProtocol, "unsupported-protocol",
              "nothing on the node takes this protocol"},
    DropFacts{Drop::NoRoute, "no-route", "no route on the node holds the destination"},
    DropFacts{Drop::BlackholeRoute, "blackhole-route", "the best route is a black hole"},
    DropFacts{Drop::UnreachableRoute, "unreachable-route", "the best route says unreachable"},
    DropFacts{Drop::NoNeighbour, "no-neighbour",
              "the next hop has no neighbour or forwarding database entry"},
    DropFacts{Drop::NoDevice, "no-device", "the route names a device that does not exist"},
    DropFacts{Drop::DeviceDown, "device-down", "the device of the route is down"},
    DropFacts{Drop::NoSuchPod, "no-such-pod", "no pod on the node has the destination address"},
    DropFacts{Drop::NotLocal, "not-local", "the packet is for another node"},
    DropFacts{Drop::Martian, "martian",
              "no packet may be forwarded from or to such an address (loopback, multicast, ...)"},
    DropFacts{Drop::ProhibitRoute, "prohibit-route", "the best route says prohibited"},
    DropFacts{Drop::TtlExpired, "ttl-expired", "the hop limit ran out on a node"},
    DropFacts{Drop::MtuExceeded, "mtu-exceeded",
              "the packet is larger than the MTU and must not be fragmented"},
    DropFacts{Drop::ReceiveMtuExceeded, "receive-mtu-exceeded",
              "the packet is larger than the receiving device takes: its driver drops it, without "
              "an ICMP error"},
    DropFacts{Drop::RpFilter, "rp-filter",
              "the reverse path filter does not accept the source on this device"},
    DropFacts{Drop::SourceSpoofed, "source-spoofed", "a pod sent with an address not its own"},
    DropFacts{Drop::PacketFilter, "packet-filter", "a packet filter on the node refused it"},
    DropFacts{Drop::TunnelSource, "tunnel-source",
              "an encapsulated packet came from an address that is no member of the cluster"},
    DropFacts{Drop::TunnelUnknown, "tunnel-unknown",
              "an encapsulated packet arrived and no tunnel device takes it"},
    DropFacts{Drop::TunnelLoop, "tunnel-loop",
              "the tunnel leads into itself, or the packet comes back from it"},
    DropFacts{Drop::AllowedIps, "allowed-ips",
              "the address inside is not among the allowed IPs of the WireGuard peer, or of any"},
    DropFacts{
        Drop::EcnCorrupted, "ecn-corrupted",
        "congestion was marked outside or on a fragment, and the packet cannot carry the mark "
        "(RFC 6040)"},
    DropFacts{Drop::ReassemblyTimeout, "reassembly-timeout",
              "a fragment's missing fragments did not come in time"},
    DropFacts{Drop::ReassemblyOverflow, "reassembly-overflow", "the reassembly table is full"},
    DropFacts{Drop::ConntrackFull, "conntrack-full", "the connection table is full"},
    DropFacts{Drop::NatExhausted, "nat-exhausted", "no free port for the translated source"},
    DropFacts{Drop::NatDeviceChanged, "nat-device-changed",
              "a masqueraded connection would leave through another device than it began on"},
    DropFacts{Drop::NoEndpoints, "no-endpoints",
              "no endpoint of the Service takes packets to this port"},
    DropFacts{Drop::FabricNoRoute, "fabric-no-route", "no VPC route leads to the destination"},
    DropFacts{Drop::FabricBlackhole, "fabric-blackhole",
              "the VPC route points to an instance that is gone"},
    DropFacts{Drop::FabricForeignInstance, "fabric-foreign-instance",
              "the VPC route leads to an instance of another owner"},
    DropFacts{Drop::FabricTtlExpired, "fabric-ttl-expired", "the hop limit ran out in the fabric"},
    DropFacts{Drop::FabricMtuExceeded, "fabric-mtu-exceeded",
              "the packet is larger than the fabric's MTU"},
    DropFacts{Drop::FabricSourceCheck, "fabric-source-check",
              "the source/destination check refused the sender's address"},
    DropFacts{Drop::FabricDestinationCheck, "fabric-destination-check",
              "the source/destination check refused the receiver's address"},
    DropFacts{Drop::FabricProtocolFilter, "fabric-protocol-filter",
              "the fabric does not carry this IP protocol"},
    DropFacts{Drop::FabricPacketFilter, "fabric-packet-filter",
              "a security group or firewall rule refused it"},
    DropFacts{Drop::FabricFragment, "fabric-fragment", "the fabric does not carry this fragment"},
    DropFacts{Drop::FabricAllowance, "fabric-allowance",
              "an instance's bandwidth or packet allowance is used up"},
    DropFacts{Drop::CpuBacklogFull, "cpu-backlog-full", "the core's packet backlog is full"},
    DropFacts{Drop::NicQueueFull, "nic-queue-full", "the NIC's transmit queue is full"},
    DropFacts{Drop::FabricQueueFull, "fabric-queue-full", "a fabric queue is full"},
    DropFacts{Drop::SocketBufferFull, "socket-buffer-full", "the receiving socket is full"},
    DropFacts{Drop::NoSocket, "no-socket", "no socket of the pod takes the packet"},
    DropFacts{Drop::NodeGone, "node-gone", "the node that had it, or should get it, does not run"},
    DropFacts{Drop::RandomLoss, "random-loss", "lost on its way, as the scenario's loss has it"},
};

inline constexpr std::size_t kDropCount = kDrops.size();

constexpr const DropFacts& facts(Drop drop) {
  return kDrops[static_cast<std::size_t>(drop)];
}
constexpr std::string_view to_string(Drop drop) {
  return facts(drop).name;
}

/// The reason of that name.
constexpr std::optional<Drop> drop_named(std::string_view name) {
  for (const DropFacts& reason : kDrops)
    if (reason.name == name) return reason.drop;
  return std::nullopt;
}

/// One counter per drop reason.
class DropCounts {
 public:
  std::int64_t& operator[](Drop drop) { return counts_[static_cast<std::size_t>(drop)]; }
  std::int64_t operator[](Drop drop) const { return counts_[static_cast<std::size_t>(drop)]; }
  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts_)
      sum += count;
    return sum;
  }
  DropCounts& operator+=(const DropCounts& other) {
    for (std::size_t i = 0; i < kDropCount; ++i)
      counts_[i] += other.counts_[i];
    return *this;
  }
  bool operator==(const DropCounts&) const = default;

 private:
  std::array<std::int64_t, kDropCount> counts_{};
};

}  // namespace overlane
