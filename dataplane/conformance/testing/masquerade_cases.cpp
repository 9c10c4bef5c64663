#include <memory>

#include "dataplane/conformance/testing/case.h"

namespace overlane::conformance::testing {
namespace {

using node::PacketFilter;

/// The rules of Felix for IP pools with natOutgoing as Gardener sets them: random ports of a range.
PacketFilter of_gardener_pools() {
  PacketFilter filter = of_pools();
  filter.nat_ports = node::kGardenerNatPorts;
  filter.random_fully = true;
  return filter;
}
void masquerade_gardener_pools(NodeState& state) {
  use(state, of_gardener_pools());
}
void large_pods(NodeState& state) {
  masquerade(state);
  for (node::LocalPod& local : state.pods)
    local.mtu = 9000;
}

const Packet kOut = udp(pod(0), kServer);

Packet ports(std::uint16_t source, std::uint16_t destination, Packet packet) {
  packet.source_port = source;
  packet.destination_port = destination;
  return packet;
}
/// A packet whose transport checksum is wrong, because its last byte was changed.
Arrival unsound(Packet packet) {
  Arrival arrival = from_pod(packet);
  arrival.bytes = reference::encode(packet);
  arrival.bytes.back() ^= 1;
  return arrival;
}
const Packet kAnswer = ports(53, 40000, udp(kServer, kNode));

/// A TCP packet to or from port 8080 of the server. Decoders look for DNS behind other ports.
Packet tcp(std::uint8_t flags, Packet packet) {
  packet.inner.protocol = forward::kTcp;
  (packet.inner.destination == kServer ? packet.destination_port : packet.source_port) = 8080;
  packet.tcp_flags = flags;
  return packet;
}
constexpr std::uint8_t kSyn = 2;
constexpr std::uint8_t kRst = 4;
constexpr std::uint8_t kSynAck = 0x12;
constexpr std::uint8_t kAck = 0x10;

/// An ICMP message whose identifier, type and code are in the port fields of the descriptor.
Packet icmp(std::uint8_t type, std::uint16_t identifier, Packet packet) {
  packet.inner.protocol = forward::kIcmp;
  return ports(identifier, static_cast<std::uint16_t>(type << 8), packet);
}

/// The ICMP error of a router about a packet with the node's address as its source.
Packet error(const char* router, std::uint8_t type, std::uint8_t code, std::uint32_t mtu) {
  Packet packet = udp(ip(router), kNode, 56);
  packet.inner.protocol = forward::kIcmp;
  packet.source_port = packet.destination_port = 0;
  packet.icmp = forward::IcmpError{.type = type,
                                   .code = code,
                                   .next_hop_mtu = mtu,
                                   .quoted_source = kNode,
                                   .quoted_destination = kServer,
                                   .quoted_protocol = forward::kUdp,
                                   .quoted_source_port = 40000,
                                   .quoted_destination_port = 53};
  return packet;
}

const char* const kTranslated = "uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 udp 100 ttl 63";

}  // namespace

std::vector<Case> masquerade_cases() {
  return {
      {"where pools are masqueraded, a pod's packet to another keeps its source",
       kRouted,
       masquerade_gardener_pools,
       {from_pod(udp(pod(0), pod(1))), from_pod(udp(pod(0), pod(0, 1)))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 100 ttl 63",
        "pod 100.96.1.10 > 100.96.1.11 udp 100 ttl 63"},
       ""},
      {"where pools are masqueraded, a packet with a wrong checksum keeps its source",
       kRouted,
       masquerade,
       {unsound(kOut)},
       {"uplink via 10.250.0.1 100.96.1.10 > 192.0.2.10 udp 100 ttl 63"},
       ""},
      {"where pools are masqueraded, what comes from outside keeps its source",
       kRouted,
       masquerade_gardener_pools,
       {from_uplink(udp(ip("192.0.2.10"), pod(0)))},
       {"pod 192.0.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"where pools are masqueraded, VXLAN carries pods' packets as they are, both ways",
       kVxlan,
       [](NodeState& s) {
         PacketFilter filter = of_gardener_pools();
         filter.tunnel_devices = {"vxlan.calico"};
         filter.untracked_udp_ports = {node::kCalicoVxlanPort};
         use(s, filter);
       },
       {from_pod(udp(pod(0), pod(1))), from_uplink(tunnelled(kVxlan, udp(pod(1), pod(0))))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 vxlan 150 ttl 64 | 100.96.1.10 > "
        "100.96.2.10 udp 100 ttl 63",
        "pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"IPv6: where pools are masqueraded, a pod's packet to another keeps its source",
       kRouted,
       masquerade_gardener_pools,
       {from_pod(udp(pod_v6(0), pod_v6(1)))},
       {"uplink via fd00:10:250::1 fd00:10:96:1::10 > fd00:10:96:2::10 udp 100 ttl 63"},
       ""},
      {"a pod's packet to outside gets the node's address",
       kRouted,
       masquerade,
       {from_pod(kOut)},
       {kTranslated},
       ""},
      {"TTL, TOS and DF stay when a packet is masqueraded",
       kRouted,
       masquerade,
       {from_pod(ttl(9, tos(0xb9, df(kOut))))},
       {"uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 udp 100 ttl 8 tos b9 DF"},
       ""},
      {"a pod's packet to a pool address keeps its source",
       kRouted,
       masquerade,
       {from_pod(udp(pod(0), pod(1)))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 100 ttl 63"},
       ""},
      {"the answer to a masqueraded packet reaches the pod",
       kRouted,
       masquerade,
       {from_pod(kOut), from_uplink(kAnswer)},
       {kTranslated, "pod 192.0.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"an answer without a connection is the node's",
       kRouted,
       masquerade,
       {from_uplink(kAnswer)},
       {"host 192.0.2.10 > 10.250.0.4 udp 100 ttl 64"},
       ""},
      {"an error from outside about a masqueraded packet reaches the pod with its own quote",
       kRouted,
       masquerade,
       {from_pod(kOut), from_uplink(error("192.0.2.10", 3, 3, 0))},
       {kTranslated, "pod 192.0.2.10 > 100.96.1.10 icmp 3/3 56 ttl 63"},
       ""},
      {"a router's word about the MTU reaches the pod and teaches the node nothing",
       kRouted,
       masquerade,
       {from_pod(kOut), from_uplink(error("10.250.0.1", 3, 4, 1300)),
        from_pod(df(udp(pod(0), kServer, 1400)))},
       {kTranslated, "pod 10.250.0.1 > 100.96.1.10 icmp 3/4 mtu 1300 56 ttl 63",
        "uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 udp 1400 ttl 63 DF"},
       ""},
      {"the node's own error quotes the pod's packet, not the masqueraded one",
       kRouted,
       masquerade,
       {from_pod(kOut), from_pod(ttl(1, kOut))},
       {kTranslated, "pod 10.250.0.4 > 100.96.1.10 icmp 11/0 128 ttl 64 tos c0; ttl-expired"},
       ""},
      {"an MTU is exceeded before anything is masqueraded",
       kRouted,
       large_pods,
       {from_pod(df(udp(pod(0), kServer, 1501)))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/4 mtu 1500 576 ttl 64 tos c0; mtu-exceeded"},
       ""},
      {"what is too large without DF is masqueraded, then cut",
       kRouted,
       large_pods,
       {from_pod(udp(pod(0), kServer, 2000))},
       {"uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 udp 1500 ttl 63 at 0 MF + uplink via "
        "10.250.0.1 10.250.0.4 > 192.0.2.10 udp 520 ttl 63 at 1480"},
       ""},
      {"TCP is masqueraded both ways",
       kRouted,
       masquerade,
       {from_pod(tcp(kSyn, kOut)), from_uplink(tcp(kSynAck, kAnswer)), from_pod(tcp(kAck, kOut))},
       {"uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 tcp 100 ttl 63",
        "pod 192.0.2.10 > 100.96.1.10 tcp 100 ttl 63",
        "uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 tcp 100 ttl 63"},
       ""},
      {"an RST without a connection passes untranslated",
       kRouted,
       masquerade,
       {from_pod(tcp(kRst, kOut))},
       {"uplink via 10.250.0.1 100.96.1.10 > 192.0.2.10 tcp 100 ttl 63"},
       ""},
      {"an ACK without a connection is picked up and masqueraded",
       kRouted,
       masquerade,
       {from_pod(tcp(kAck, kOut))},
       {"uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 tcp 100 ttl 63"},
       ""},
      {"an echo is masqueraded both ways",
       kRouted,
       masquerade,
       {from_pod(icmp(8, 7, kOut)), from_uplink(icmp(0, 7, udp(kServer, kNode)))},
       {"uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 icmp 100 ttl 63",
        "pod 192.0.2.10 > 100.96.1.10 icmp 100 ttl 63"},
       ""},
      {"a second pod's packet from the same port gets another",
       kRouted,
       masquerade,
       {from_pod(kOut), from_pod(udp(pod(0, 1), kServer))},
       {kTranslated, kTranslated},
       "the port is drawn at random"},
      {"with random ports the packet gets one of them",
       kRouted,
       [](NodeState& s) {
         PacketFilter filter = of_pools();
         filter.random_fully = true;
         use(s, filter);
       },
       {from_pod(kOut)},
       {kTranslated},
       ""},
      {"with a port range the packet gets a port of it",
       kRouted,
       [](NodeState& s) {
         PacketFilter filter = of_pools();
         filter.nat_ports = node::kGardenerNatPorts;
         use(s, filter);
       },
       {from_pod(ports(5000, 53, kOut)), from_pod(ports(45000, 53, kOut))},
       {kTranslated, kTranslated},
       ""},
      {"what goes to an upstream nameserver is masqueraded whoever sends it",
       kRouted,
       [](NodeState& s) {
         use(s, {.masqueraded_destinations = {net("192.0.2.10/32")}, .random_fully = false});
       },
       {from_pod(kOut), from_pod(udp(pod(0), ip("192.0.2.11")))},
       {kTranslated, "uplink via 10.250.0.1 100.96.1.10 > 192.0.2.11 udp 100 ttl 63"},
       ""},
      {"what the node sends into tunl0 with another address gets tunl0's",
       kIpip,
       [](NodeState& s) { use(s, {.tunnel_devices = {"tunl0"}, .random_fully = false}); },
       {from_host(udp(kNode, pod(1)))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 120 ttl 64 | 100.96.1.1 > 100.96.2.10 "
        "udp 100 ttl 64"},
       ""},
      {"what a pod sends into tunl0 keeps its source",
       kIpip,
       [](NodeState& s) { use(s, {.tunnel_devices = {"tunl0"}, .random_fully = false}); },
       {from_pod(udp(pod(0), pod(1)))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 120 ttl 63 | 100.96.1.10 > 100.96.2.10 "
        "udp 100 ttl 63"},
       ""},
      {"IPv6: a pod's packet to outside gets the node's address, and the answer comes back",
       kRouted,
       masquerade,
       {from_pod(udp(pod_v6(0), ip("2001:db8::10"))),
        from_uplink(ports(53, 40000, udp(ip("2001:db8::10"), ip("fd00:10:250::4"))))},
       {"uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 udp 100 ttl 63",
        "pod 2001:db8::10 > fd00:10:96:1::10 udp 100 ttl 63"},
       ""},
  };
}

}  // namespace overlane::conformance::testing
