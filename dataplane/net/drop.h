#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace overlane {

// Drop reasons: the one closed list by which every executor, the simulator and all reports count
// lost packets. Each reason has one row in kDrops: its texts, the gate at which it stops a packet,
// whether it is congestion, and the kernel counters that increase with it. The code that drops a
// packet (`forward` and the reference) names the reason; all other code reads the row. The order of
// Drop is the order of kDrops, which the compiler checks.

/// The reason why a packet was dropped. The list is closed: every executor counts drops by reason,
/// and reports use the names in kDrops.
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

/// A condition that a packet must pass: drop reasons grouped by what an operator has to fix.
enum class Gate : std::uint8_t {
  Route,          ///< Routes on nodes and in the VPC, and their next hops.
  Encapsulation,  ///< A tunnel's device, neighbours and forwarding entries, at either end.
  AntiSpoofing,   ///< Allowed source and destination addresses of an interface.
  Filter,         ///< Packet filters of nodes, security groups, protocols that the fabric drops.
  Mtu,            ///< Packet sizes and fragments.
};

inline constexpr std::array<std::string_view, 5> kGateNames = {"route", "encapsulation",
                                                               "anti-spoofing", "filter", "mtu"};

constexpr std::string_view to_string(Gate gate) {
  return kGateNames[static_cast<std::size_t>(gate)];
}

/// The row of a drop reason.
struct DropFacts {
  static constexpr std::size_t kMaxCounters = 6;

  Drop drop;
  std::string_view name;     ///< The key under `drops` in every report.
  std::string_view meaning;  ///< One sentence for a person.
  /// Empty for malformed packets, overload and injected faults, which do not occur with one packet
  /// in idle states.
  std::optional<Gate> gate = std::nullopt;
  /// True for a loss by load or by chance, which no change of a state causes.
  bool is_congestion = false;
  /// The change that would let the packet pass. Empty if it depends on the states
  /// (topologies/path/needed.cpp) or if there is no gate. {source}, {destination}, {protocol} and
  /// {size} are the outermost header's, {encapsulation} is the packet's, {node} is where it was
  /// dropped or sent from.
  std::string_view needed = {};
  /// Counters of a Linux node, by the names of kernel::Counters. One of them increases if the node
  /// drops a packet for this reason. A name that begins with '*' matches every counter that ends
  /// with the rest. Empty names are unused. All are empty if the kernel does not count the drop.
  std::array<std::string_view, kMaxCounters> counters = {};
};

inline constexpr auto kDrops = std::to_array<DropFacts>(
    {// ip_rcv_core, ip6_rcv_core (net/ipv4/ip_input.c, net/ipv6/ip6_input.c), ip_frag_queue.
     {.drop = Drop::Malformed,
      .name = "malformed",
      .meaning = "a header is truncated or contradicts itself",
      .counters = {"IpInHdrErrors", "IpExtInTruncatedPkts", "Ip6InHdrErrors", "Ip6InTruncatedPkts",
                   "* rx_errors", "IpReasmFails"}},
     {.drop = Drop::BadChecksum,
      .name = "bad-checksum",
      .meaning = "a header checksum is wrong",
      .counters = {"IpExtInCsumErrors", "UdpInCsumErrors"}},
     {.drop = Drop::UnsupportedProtocol,
      .name = "unsupported-protocol",
      .meaning = "nothing on the node takes this protocol",
      .gate = Gate::Encapsulation,
      .needed = "a tunnel device or a socket for protocol {protocol}"},
     // ip_route_input_slow counts every failed lookup, ip_error the ones that are answered.
     {.drop = Drop::NoRoute,
      .name = "no-route",
      .meaning = "no route on the node holds the destination",
      .gate = Gate::Route,
      .counters = {"route in_no_route", "IpOutNoRoutes", "Ip6InNoRoutes", "* tx_carrier"}},
     {.drop = Drop::BlackholeRoute,
      .name = "blackhole-route",
      .meaning = "the best route is a black hole",
      .gate = Gate::Route,
      .counters = {"route in_no_route", "Ip6InNoRoutes"}},
     {.drop = Drop::UnreachableRoute,
      .name = "unreachable-route",
      .meaning = "the best route says unreachable",
      .gate = Gate::Route,
      .counters = {"route in_no_route", "Ip6InNoRoutes"}},
     // vxlan_xmit without a forwarding entry.
     {.drop = Drop::NoNeighbour,
      .name = "no-neighbour",
      .meaning = "the next hop has no neighbour or forwarding database entry",
      .gate = Gate::Encapsulation,
      .counters = {"* tx_dropped"}},
     {.drop = Drop::NoDevice,
      .name = "no-device",
      .meaning = "the route names a device that does not exist",
      .gate = Gate::Route,
      .needed = "an uplink device that is up"},
     {.drop = Drop::DeviceDown,
      .name = "device-down",
      .meaning = "the device of the route is down",
      .gate = Gate::Route,
      .needed = "an uplink device that is up"},
     {.drop = Drop::NoSuchPod,
      .name = "no-such-pod",
      .meaning = "no pod on the node has the destination address",
      .gate = Gate::Route},
     {.drop = Drop::NotLocal,
      .name = "not-local",
      .meaning = "the packet is for another node",
      .gate = Gate::Route,
      .needed = "IP forwarding on this node",
      .counters = {"IpInAddrErrors", "IpExtInNoRoutes", "route in_no_route", "Ip6InAddrErrors"}},
     {.drop = Drop::Martian,
      .name = "martian",
      .meaning = "no packet may be forwarded from or to such an address (loopback, multicast, ...)",
      .gate = Gate::Route,
      .needed = "a source and a destination that may be forwarded"},
     {.drop = Drop::ProhibitRoute,
      .name = "prohibit-route",
      .meaning = "the best route says prohibited",
      .gate = Gate::Route},
     // ip_forward, ip6_forward.
     {.drop = Drop::TtlExpired,
      .name = "ttl-expired",
      .meaning = "the hop limit ran out on a node",
      .gate = Gate::Route,
      .counters = {"IpInHdrErrors", "Ip6InHdrErrors"}},
     // ip_forward, ip6_forward.
     {.drop = Drop::MtuExceeded,
      .name = "mtu-exceeded",
      .meaning = "the packet is larger than the MTU and must not be fragmented",
      .gate = Gate::Mtu,
      .needed = "a larger MTU, or pods that send less than these {size}",
      .counters = {"IpFragFails", "Ip6InTooBigErrors", "Ip6FragFails", "* tx_errors"}},
     // __dev_forward_skb (net/core/dev.c).
     {.drop = Drop::ReceiveMtuExceeded,
      .name = "receive-mtu-exceeded",
      .meaning = "the packet is larger than the receiving device takes: its driver drops "
                 "it, without an ICMP error",
      .gate = Gate::Mtu,
      .needed = "a larger MTU of the device that receives it, or senders of less than "
                "these {size}",
      .counters = {"* rx_dropped"}},
     // fib_validate_source, ip_handle_martian_source (net/ipv4/route.c).
     {.drop = Drop::RpFilter,
      .name = "rp-filter",
      .meaning = "the reverse path filter does not accept the source on this device",
      .gate = Gate::AntiSpoofing,
      .needed = "a route back to {source} through the device that received it, or rp_filter off",
      .counters = {"TcpExtIPReversePathFilter", "route in_martian_src"}},
     {.drop = Drop::SourceSpoofed,
      .name = "source-spoofed",
      .meaning = "a pod sent with an address not its own",
      .gate = Gate::AntiSpoofing,
      .counters = {"rule source-spoofed"}},
     {.drop = Drop::PacketFilter,
      .name = "packet-filter",
      .meaning = "a packet filter on the node refused it",
      .gate = Gate::Filter,
      .needed = "a pod that does not send tunnel packets: Felix refuses them",
      .counters = {"rule packet-filter"}},
     {.drop = Drop::TunnelSource,
      .name = "tunnel-source",
      .meaning = "an encapsulated packet came from an address that is no member of the cluster",
      .gate = Gate::Filter,
      .counters = {"rule tunnel-source"}},
     {.drop = Drop::TunnelUnknown,
      .name = "tunnel-unknown",
      .meaning = "an encapsulated packet arrived and no tunnel device takes it",
      .gate = Gate::Encapsulation,
      .needed = "a device, up, that takes {encapsulation} from {source}"},
     {.drop = Drop::TunnelLoop,
      .name = "tunnel-loop",
      .meaning = "the tunnel leads into itself, or the packet comes back from it",
      .gate = Gate::Encapsulation,
      .needed = "a route for the outer packet that does not lead into the tunnel"},
     {.drop = Drop::AllowedIps,
      .name = "allowed-ips",
      .meaning = "the address inside is not among the allowed IPs of the WireGuard peer, or of any",
      .gate = Gate::Encapsulation},
     // ip_frag_reasm (net/ipv4/ip_fragment.c), ip_tunnel_rcv, vxlan_ecn_decapsulate.
     {.drop = Drop::EcnCorrupted,
      .name = "ecn-corrupted",
      .meaning = "congestion was marked outside or on a fragment, and the packet cannot "
                 "carry the mark (RFC 6040)",
      .gate = Gate::Encapsulation,
      .needed = "an inner packet that can carry the congestion mark",
      .counters = {"IpReasmFails", "* rx_errors"}},
     {.drop = Drop::ReassemblyTimeout,
      .name = "reassembly-timeout",
      .meaning = "a fragment's missing fragments did not come in time",
      .gate = Gate::Mtu,
      .needed = "packets that fit without fragmentation: a smaller MTU of the pods"},
     {.drop = Drop::ReassemblyOverflow,
      .name = "reassembly-overflow",
      .meaning = "the reassembly table is full",
      .gate = Gate::Mtu,
      .needed = "packets that fit without fragmentation: a smaller MTU of the pods"},
     {.drop = Drop::ConntrackFull,
      .name = "conntrack-full",
      .meaning = "the connection table is full",
      .gate = Gate::Filter,
      .needed = "a free entry or port for its connection"},
     {.drop = Drop::NatExhausted,
      .name = "nat-exhausted",
      .meaning = "no free port for the translated source",
      .gate = Gate::Filter,
      .needed = "a free entry or port for its connection"},
     {.drop = Drop::NatDeviceChanged,
      .name = "nat-device-changed",
      .meaning = "a masqueraded connection would leave through another device than it began on",
      .gate = Gate::Filter,
      .needed = "a free entry or port for its connection"},
     {.drop = Drop::NoEndpoints,
      .name = "no-endpoints",
      .meaning = "no endpoint of the Service takes packets to this port",
      .gate = Gate::Filter,
      .needed = "an endpoint of the Service at this port",
      .counters = {"rule no-endpoints"}},
     {.drop = Drop::FabricNoRoute,
      .name = "fabric-no-route",
      .meaning = "no VPC route leads to the destination",
      .gate = Gate::Route},
     {.drop = Drop::FabricBlackhole,
      .name = "fabric-blackhole",
      .meaning = "the VPC route points to an instance that is gone",
      .gate = Gate::Route},
     {.drop = Drop::FabricForeignInstance,
      .name = "fabric-foreign-instance",
      .meaning = "the VPC route leads to an instance of another owner",
      .gate = Gate::Route,
      .needed = "a route table without another owner's route to {destination}, or pods "
                "that it does not cover"},
     {.drop = Drop::FabricTtlExpired,
      .name = "fabric-ttl-expired",
      .meaning = "the hop limit ran out in the fabric",
      .gate = Gate::Route},
     {.drop = Drop::FabricMtuExceeded,
      .name = "fabric-mtu-exceeded",
      .meaning = "the packet is larger than the fabric's MTU",
      .gate = Gate::Mtu,
      .needed = "a larger MTU, or pods that send less than these {size}"},
     {.drop = Drop::FabricSourceCheck,
      .name = "fabric-source-check",
      .meaning = "the source/destination check refused the sender's address",
      .gate = Gate::AntiSpoofing,
      .needed = "{source} among the addresses that {node} may send as, or its "
                "source/destination check off"},
     {.drop = Drop::FabricDestinationCheck,
      .name = "fabric-destination-check",
      .meaning = "the source/destination check refused the receiver's address",
      .gate = Gate::AntiSpoofing,
      .needed = "{destination} among the addresses that its instance takes, or the "
                "source/destination check off"},
     {.drop = Drop::FabricProtocolFilter,
      .name = "fabric-protocol-filter",
      .meaning = "the fabric does not carry this IP protocol",
      .gate = Gate::Filter,
      .needed = "a fabric that carries protocol {protocol}: routed mode or VXLAN does without it"},
     {.drop = Drop::FabricPacketFilter,
      .name = "fabric-packet-filter",
      .meaning = "a security group or firewall rule refused it",
      .gate = Gate::Filter},
     {.drop = Drop::FabricFragment,
      .name = "fabric-fragment",
      .meaning = "the fabric does not carry this fragment",
      .gate = Gate::Mtu,
      .needed = "packets that fit without fragmentation: a smaller MTU of the pods"},
     {.drop = Drop::FabricAllowance,
      .name = "fabric-allowance",
      .meaning = "an instance's bandwidth or packet allowance is used up",
      .is_congestion = true},
     {.drop = Drop::CpuBacklogFull,
      .name = "cpu-backlog-full",
      .meaning = "the core's packet backlog is full",
      .is_congestion = true},
     {.drop = Drop::NicQueueFull,
      .name = "nic-queue-full",
      .meaning = "the NIC's transmit queue is full",
      .is_congestion = true},
     {.drop = Drop::FabricQueueFull,
      .name = "fabric-queue-full",
      .meaning = "a fabric queue is full",
      .is_congestion = true},
     {.drop = Drop::SocketBufferFull,
      .name = "socket-buffer-full",
      .meaning = "the receiving socket is full",
      .is_congestion = true},
     {.drop = Drop::NoSocket,
      .name = "no-socket",
      .meaning = "no socket of the pod takes the packet"},
     {.drop = Drop::NodeGone,
      .name = "node-gone",
      .meaning = "the node that had it, or should get it, does not run",
      .gate = Gate::Route,
      .needed = "the node, running"},
     {.drop = Drop::RandomLoss,
      .name = "random-loss",
      .meaning = "lost on its way, as the scenario's loss has it",
      .is_congestion = true}});

inline constexpr std::size_t kDropCount = kDrops.size();

static_assert(kDrops.back().drop == Drop::RandomLoss, "the last reason has no row");
static_assert(
    [] {
      for (std::size_t i = 0; i < kDropCount; ++i)
        if (static_cast<std::size_t>(kDrops[i].drop) != i) return false;
      return true;
    }(),
    "kDrops has another order than Drop");

constexpr const DropFacts& facts(Drop drop) {
  return kDrops[static_cast<std::size_t>(drop)];
}
constexpr std::string_view to_string(Drop drop) {
  return facts(drop).name;
}

/// The drop reason with this name in kDrops.
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
