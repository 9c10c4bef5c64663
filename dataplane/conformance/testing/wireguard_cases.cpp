#include "dataplane/conformance/testing/case.h"
#include "dataplane/node/state/world.h"

namespace overlane::conformance::testing {
namespace {

/// The kernels of the testbed, such as Debian's user-mode Linux, have no wireguard module.
constexpr const char* kNoKernel = "there is no wireguard in the testbed's kernels";

/// A packet of node 2's pod in a WireGuard message of node 2.
Packet sealed(std::uint32_t bytes = 100) {
  return tunnelled(kWireguard, udp(pod(1), pod(0), bytes));
}

Packet with_tos(std::uint8_t outer, Packet packet) {
  packet.outer.tos = outer;
  return packet;
}

Packet from_elsewhere(Packet packet) {
  packet.outer.source = ip("10.250.0.99");
  return packet;
}

Packet of_session(std::uint32_t index, Packet packet) {
  packet.vni = index;
  return packet;
}

const char* const kDelivered = "pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63";

}  // namespace

std::vector<Case> wireguard_cases() {
  return {
      {"WireGuard pads to 16 bytes and shows nothing of the packet inside but ECN",
       kWireguard,
       unchanged,
       {from_pod(tos(0xba, df(udp(pod(0), pod(1)))))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 wireguard 172 ttl 64 tos 02 | "
        "100.96.1.10 > 100.96.2.10 udp 100 ttl 63 tos ba DF"},
       kNoKernel},
      {"padding does not go beyond the MTU",
       kWireguard,
       [](NodeState& s) { device(s, "wireguard.cali").mtu = 1437; },
       {from_pod(udp(pod(0), pod(1), 1437))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 wireguard 1497 ttl 64 | "
        "100.96.1.10 > 100.96.2.10 udp 1437 ttl 63"},
       kNoKernel},
      {"over IPv6 it adds 80 bytes",
       kWireguard,
       unchanged,
       {from_pod(udp(pod_v6(0), pod_v6(1), 112))},
       {"uplink via fd00:10:250::5 fd00:10:250::4 > fd00:10:250::5 wireguard 192 ttl 64 | "
        "fd00:10:96:1::10 > fd00:10:96:2::10 udp 112 ttl 63"},
       kNoKernel},
      {"a packet larger than its MTU is answered, as by any device",
       kWireguard,
       unchanged,
       {from_pod(df(udp(pod(0), pod(1), 1441)))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/4 mtu 1440 576 ttl 64 tos c0; mtu-exceeded"},
       kNoKernel},
      {"what is too large for the uplink goes out in fragments, whatever the inner DF says",
       kWireguard,
       [](NodeState& s) { device(s, "eth0").mtu = 1000; },
       {from_pod(df(udp(pod(0), pod(1), 1440)))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 wireguard 996 ttl 64 at 0 MF | "
        "100.96.1.10 > 100.96.2.10 udp 1440 ttl 63 DF + "
        "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 wireguard 524 ttl 64 at 976"},
       kNoKernel},
      {"over IPv6, too",
       kWireguard,
       [](NodeState& s) { device(s, "eth0").mtu = 1280; },
       {from_pod(udp(pod_v6(0), pod_v6(1), 1408))},
       {"uplink via fd00:10:250::5 fd00:10:250::4 > fd00:10:250::5 wireguard 1280 ttl 64 at 0 MF | "
        "fd00:10:96:1::10 > fd00:10:96:2::10 udp 1408 ttl 63 + "
        "uplink via fd00:10:250::5 fd00:10:250::4 > fd00:10:250::5 wireguard 264 ttl 64 at 1232"},
       kNoKernel},
      {"an address without a peer is answered with an ICMP error",
       kWireguard,
       [](NodeState& s) {
         node::NodeEditor(s).set_route(net("192.0.2.0/24"), {.device = "wireguard.cali"});
       },
       {from_pod(udp(pod(0), kServer))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/1 128 ttl 64 tos c0; allowed-ips"},
       kNoKernel},
      {"what comes from a peer's own pods is delivered",
       kWireguard,
       unchanged,
       {from_uplink(sealed())},
       {kDelivered},
       kNoKernel},
      {"wherever it comes from: the key tells who it is, and a peer may roam",
       kWireguard,
       unchanged,
       {from_uplink(from_elsewhere(sealed()))},
       {kDelivered},
       kNoKernel},
      {"a peer must not send as another's pod",
       {.encapsulation = Encapsulation::Wireguard, .nodes = 3},
       unchanged,
       {from_uplink(of_session(3, sealed()))},
       {"allowed-ips"},
       kNoKernel},
      {"nor as its node, which is none of its allowed IPs",
       kWireguard,
       unchanged,
       {from_uplink(tunnelled(kWireguard, udp(ip("10.250.0.5"), pod(0))))},
       {"allowed-ips"},
       kNoKernel},
      {"where allowed IPs hold the nodes' addresses it may",
       kWireguard,
       [](NodeState& s) { device(s, "wireguard.cali").allows_nodes = true; },
       {from_uplink(tunnelled(kWireguard, udp(ip("10.250.0.5"), pod(0))))},
       {"pod 10.250.0.5 > 100.96.1.10 udp 100 ttl 63"},
       kNoKernel},
      {"a message of no session is lost silently",
       kWireguard,
       unchanged,
       {from_uplink(of_session(9, sealed())), from_uplink(of_session(0, sealed())),
        from_uplink(of_session(1, sealed()))},
       {"tunnel-unknown", "tunnel-unknown", "tunnel-unknown"},
       kNoKernel},
      {"congestion marked outside on a packet that cannot carry it is forgotten",
       kWireguard,
       unchanged,
       {from_uplink(with_tos(3, sealed()))},
       {kDelivered},
       kNoKernel},
      {"without its device the packets leave bare",
       kWireguard,
       [](NodeState& s) { device(s, "wireguard.cali").up = false; },
       {from_pod(udp(pod(0), pod(1)))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 100 ttl 63"},
       kNoKernel},
  };
}

}  // namespace overlane::conformance::testing
