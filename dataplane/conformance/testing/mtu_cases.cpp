#include "dataplane/conformance/testing/case.h"
#include "dataplane/node/state/world.h"

namespace overlane::conformance::testing {
namespace {

/// Gives the pods an MTU of 9,000 bytes, larger than that of all other devices.
void large_pods(NodeState& state) {
  for (node::LocalPod& local : state.pods)
    local.mtu = 9000;
}
/// Gives a tunnel device the MTU of the link, so that full outer packets do not fit the link.
auto large_tunnel(const char* name) {
  return [=](NodeState& s) {
    large_pods(s);
    device(s, name).mtu = 1500;
  };
}
auto route_mtu(std::uint32_t mtu) {
  return [=](NodeState& s) {
    large_pods(s);
    node::NodeEditor(s).set_route(net("100.96.2.0/24"), {.device = "eth0",
                                                         .via = ip("10.250.0.1"),
                                                         .protocol = node::RouteProtocol::Static,
                                                         .mtu = mtu});
  };
}
/// The ICMP error of a router about tunnel packets to node 2 that are too big.
forward::Packet too_big(std::uint32_t mtu) {
  forward::Packet packet{.inner = {.source = ip("10.250.0.1"),
                                   .destination = ip("10.250.0.4"),
                                   .total_length = 576,
                                   .protocol = forward::kIcmp}};
  packet.icmp = forward::IcmpError{.type = 3,
                                   .code = 4,
                                   .next_hop_mtu = mtu,
                                   .quoted_source = ip("10.250.0.4"),
                                   .quoted_destination = ip("10.250.0.5"),
                                   .quoted_protocol = forward::kIpip};
  return packet;
}
forward::Packet out(std::uint32_t bytes) {
  return udp(pod(0), pod(1), bytes);
}
forward::Packet fragment_of(std::uint16_t offset, std::uint32_t bytes, bool more) {
  forward::Packet packet = out(bytes);
  packet.inner.identification = 77;
  packet.inner.fragment_offset = offset;
  packet.inner.more_fragments = more;
  if (offset != 0) packet.source_port = packet.destination_port = 0;
  return packet;
}
forward::Packet for_node(forward::Packet fragment) {
  fragment.inner.source = ip("10.250.0.5");
  fragment.inner.destination = ip("10.250.0.4");
  return fragment;
}

}  // namespace

std::vector<Case> mtu_cases() {
  return {
      {"1500 bytes fit the link",
       kRouted,
       large_pods,
       {from_pod(df(out(1500)))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 1500 ttl 63 DF"},
       ""},
      {"1501 bytes with DF are answered with 1500",
       kRouted,
       large_pods,
       {from_pod(df(out(1501)))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/4 mtu 1500 576 ttl 64 tos c0; mtu-exceeded"},
       ""},
      {"1501 bytes without DF are cut",
       kRouted,
       large_pods,
       {from_pod(out(1501))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 1500 ttl 63 at 0 MF + uplink via "
        "10.250.0.1 100.96.1.10 > 100.96.2.10 udp 21 ttl 63 at 1480"},
       ""},
      {"4000 bytes are cut in three",
       kRouted,
       large_pods,
       {from_pod(out(4000))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 1500 ttl 63 at 0 MF + uplink via "
        "10.250.0.1 100.96.1.10 > 100.96.2.10 udp 1500 ttl 63 at 1480 MF + uplink via 10.250.0.1 "
        "100.96.1.10 > 100.96.2.10 udp 1040 ttl 63 at 2960"},
       ""},
      {"a fragment is cut again and keeps its place",
       kRouted,
       route_mtu(1000),
       {from_pod(fragment_of(800, 1300, true))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 996 ttl 63 at 800 MF + uplink via "
        "10.250.0.1 100.96.1.10 > 100.96.2.10 udp 324 ttl 63 at 1776 MF"},
       ""},
      {"a last fragment is cut again and stays the last",
       kRouted,
       route_mtu(1000),
       {from_pod(fragment_of(800, 1300, false))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 996 ttl 63 at 800 MF + uplink via "
        "10.250.0.1 100.96.1.10 > 100.96.2.10 udp 324 ttl 63 at 1776"},
       ""},
      {"a route's MTU binds",
       kRouted,
       route_mtu(1400),
       {from_pod(df(out(1401)))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/4 mtu 1400 576 ttl 64 tos c0; mtu-exceeded"},
       ""},
      {"a route's MTU larger than the link's wins",
       kRouted,
       route_mtu(2000),
       {from_pod(df(out(1600)))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 1600 ttl 63 DF"},
       ""},
      {"a pod with a smaller MTU is heard of through its node",
       kRouted,
       [](NodeState& s) { s.pods[0].mtu = 1000; },
       {from_uplink(df(udp(pod(1), pod(0), 1001)))},
       {"uplink via 10.250.0.1 10.250.0.4 > 100.96.2.10 icmp 3/4 mtu 1000 576 ttl 64 tos c0; "
        "mtu-exceeded"},
       ""},
      {"a pod with a smaller MTU gets fragments",
       kRouted,
       [](NodeState& s) { s.pods[0].mtu = 1000; },
       {from_uplink(udp(pod(1), pod(0), 1500))},
       {"pod 100.96.2.10 > 100.96.1.10 udp 996 ttl 63 at 0 MF + pod 100.96.2.10 > 100.96.1.10 udp "
        "524 ttl 63 at 976"},
       ""},
      {"1504 bytes come in by an uplink of 1500: its driver leaves room for a VLAN tag",
       kRouted,
       large_pods,
       {from_uplink(df(udp(pod(1), pod(0), 1504)))},
       {"pod 100.96.2.10 > 100.96.1.10 udp 1504 ttl 63 DF"},
       ""},
      {"1505 bytes do not, and no ICMP error is sent",
       kRouted,
       large_pods,
       {from_uplink(df(udp(pod(1), pod(0), 1505))), from_uplink(udp(pod(1), pod(0), 9000))},
       {"receive-mtu-exceeded", "receive-mtu-exceeded"},
       ""},
      {"an uplink of 9000 takes 9000 bytes",
       kRouted,
       [](NodeState& s) {
         large_pods(s);
         device(s, "eth0").mtu = 9000;
       },
       {from_uplink(df(udp(pod(1), pod(0), 9000)))},
       {"pod 100.96.2.10 > 100.96.1.10 udp 9000 ttl 63 DF"},
       ""},
      {"a tunnel's packet larger than the uplink does not come in, whatever the tunnel's MTU",
       kIpip,
       [](NodeState& s) {
         large_pods(s);
         device(s, "tunl0").mtu = 8980;
       },
       {from_uplink(tunnelled(kIpip, df(udp(pod(1), pod(0), 1484)))),
        from_uplink(tunnelled(kIpip, df(udp(pod(1), pod(0), 1485))))},
       {"pod 100.96.2.10 > 100.96.1.10 udp 1484 ttl 63 DF", "receive-mtu-exceeded"},
       ""},
      {"nor does a large VXLAN packet",
       kVxlan,
       large_pods,
       {from_uplink(tunnelled(kVxlan, df(udp(pod(1), pod(0), 1454)))),
        from_uplink(tunnelled(kVxlan, df(udp(pod(1), pod(0), 1455))))},
       {"pod 100.96.2.10 > 100.96.1.10 udp 1454 ttl 63 DF", "receive-mtu-exceeded"},
       ""},
      {"nor a large IPv6 packet",
       kRouted,
       large_pods,
       {from_uplink(udp(pod_v6(1), pod_v6(0), 1504)), from_uplink(udp(pod_v6(1), pod_v6(0), 1505))},
       {"pod fd00:10:96:2::10 > fd00:10:96:1::10 udp 1504 ttl 63", "receive-mtu-exceeded"},
       ""},
      {"a TTL of 1 comes before an MTU",
       kRouted,
       large_pods,
       {from_pod(ttl(1, df(out(1501))))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 11/0 576 ttl 64 tos c0; ttl-expired"},
       ""},
      {"1480 bytes fit through IPIP",
       kIpip,
       large_pods,
       {from_pod(df(out(1480)))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 1500 ttl 63 DF | 100.96.1.10 > "
        "100.96.2.10 udp 1480 ttl 63 DF"},
       ""},
      {"1481 bytes with DF are answered with 1480",
       kIpip,
       large_pods,
       {from_pod(df(out(1481)))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/4 mtu 1480 576 ttl 64 tos c0; mtu-exceeded"},
       ""},
      {"1500 bytes without DF are cut before IPIP",
       kIpip,
       large_pods,
       {from_pod(out(1500))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 1496 ttl 63 | 100.96.1.10 > "
        "100.96.2.10 udp 1476 ttl 63 at 0 MF + uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip "
        "64 ttl 63 | 100.96.1.10 > 100.96.2.10 udp 44 ttl 63 at 1456"},
       ""},
      {"1450 bytes fit through VXLAN",
       kVxlan,
       large_pods,
       {from_pod(df(out(1450)))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 vxlan 1500 ttl 64 | 100.96.1.10 > "
        "100.96.2.10 udp 1450 ttl 63 DF"},
       ""},
      {"1451 bytes with DF are answered with 1450",
       kVxlan,
       large_pods,
       {from_pod(df(out(1451)))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/4 mtu 1450 576 ttl 64 tos c0; mtu-exceeded"},
       ""},
      {"1500 bytes without DF are cut before VXLAN",
       kVxlan,
       large_pods,
       {from_pod(out(1500))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 vxlan 1494 ttl 64 | 100.96.1.10 > "
        "100.96.2.10 udp 1444 ttl 63 at 0 MF + uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 vxlan "
        "126 ttl 64 | 100.96.1.10 > 100.96.2.10 udp 76 ttl 63 at 1424"},
       ""},
      {"1450 bytes fit through Geneve",
       kGeneve,
       large_pods,
       {from_pod(df(out(1450)))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 geneve 1500 ttl 64 | 100.96.1.10 > "
        "100.96.2.10 udp 1450 ttl 63 DF"},
       ""},
      {"1451 bytes with DF are answered with 1450 before Geneve",
       kGeneve,
       large_pods,
       {from_pod(df(out(1451)))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/4 mtu 1450 576 ttl 64 tos c0; mtu-exceeded"},
       ""},
      {"1452 bytes fit through ip6tnl",
       kIp6Tnl,
       large_pods,
       {from_pod(df(out(1452)))},
       {"uplink via fd00:10:250::5 fd00:10:250::4 > fd00:10:250::5 ip6tnl 1500 ttl 64 | "
        "100.96.1.10 > 100.96.2.10 udp 1452 ttl 63 DF"},
       ""},
      {"1453 bytes with DF are answered with 1452 before ip6tnl",
       kIp6Tnl,
       large_pods,
       {from_pod(df(out(1453)))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/4 mtu 1452 576 ttl 64 tos c0; mtu-exceeded"},
       ""},
      {"a large tunl0: with DF the pod hears what fits the path",
       kIpip,
       large_tunnel("tunl0"),
       {from_pod(df(out(1481))), from_pod(df(out(1480)))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/4 mtu 1480 576 ttl 64 tos c0; mtu-exceeded",
        "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 1500 ttl 63 DF | 100.96.1.10 > "
        "100.96.2.10 udp 1480 ttl 63 DF"},
       ""},
      {"a large tunl0: without DF the outer packet is cut",
       kIpip,
       large_tunnel("tunl0"),
       {from_pod(out(1500))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 1500 ttl 63 at 0 MF | 100.96.1.10 > "
        "100.96.2.10 udp 1500 ttl 63 + uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 40 ttl "
        "63 at 1480"},
       ""},
      {"a large tunl0: without DF the outer packet is cut every time",
       kIpip,
       large_tunnel("tunl0"),
       {from_pod(out(1500)), from_pod(out(1500))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 1500 ttl 63 at 0 MF | 100.96.1.10 > "
        "100.96.2.10 udp 1500 ttl 63 + uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 40 ttl "
        "63 at 1480",
        "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 1500 ttl 63 at 0 MF | 100.96.1.10 > "
        "100.96.2.10 udp 1500 ttl 63 + uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 40 ttl "
        "63 at 1480"},
       ""},
      {"a large geneve: the outer packet is cut whatever the DF, every time",
       kGeneve,
       large_tunnel("geneve1"),
       {from_pod(df(out(1500))), from_pod(df(out(1500)))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 geneve 1500 ttl 64 at 0 MF | 100.96.1.10 > "
        "100.96.2.10 udp 1500 ttl 63 DF + uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 geneve 70 "
        "ttl 64 at 1480",
        "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 geneve 1500 ttl 64 at 0 MF | 100.96.1.10 > "
        "100.96.2.10 udp 1500 ttl 63 DF + uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 geneve 70 "
        "ttl 64 at 1480"},
       ""},
      {"a large Geneve over IPv6: what does not fit the path is lost silently",
       kGeneveV6,
       large_tunnel("geneve1"),
       {from_pod(out(1500)), from_pod(df(out(1500)))},
       {"mtu-exceeded", "mtu-exceeded"},
       "its own packet too big about the outer packet reaches the kernel's node, and nothing else "
       "comes"},
      {"a large Geneve over IPv6 with IPv6 inside: the first is lost, the pod hears from then on",
       kGeneveV6,
       large_tunnel("geneve1"),
       {from_pod(udp(pod_v6(0), pod_v6(1), 1500)), from_pod(udp(pod_v6(0), pod_v6(1), 1500))},
       {"mtu-exceeded",
        "pod fd00:10:250::4 > fd00:10:96:1::10 icmp 2/0 mtu 1430 1280 ttl 64; mtu-exceeded"},
       "as above, and the kernel quotes the packet with its hop limit taken down, because a "
       "learned "
       "MTU binds on the way out (ip6_output) and not before (ip6_forward)"},
      {"a large ip6tnl: the pod hears what fits even without DF",
       kIp6Tnl,
       large_tunnel("ip6tnl1"),
       {from_pod(out(1453))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/4 mtu 1452 576 ttl 64 tos c0; mtu-exceeded"},
       ""},
      {"the fabric's word about the tunnel reaches the pod with its next packet",
       kIpip,
       large_pods,
       {from_uplink(too_big(1300)), from_pod(df(out(1400))), from_pod(df(out(1280)))},
       {"host 10.250.0.1 > 10.250.0.4 icmp 3/4 mtu 1300 576 ttl 64",
        "pod 10.250.0.4 > 100.96.1.10 icmp 3/4 mtu 1280 576 ttl 64 tos c0; mtu-exceeded",
        "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 1300 ttl 63 DF | 100.96.1.10 > "
        "100.96.2.10 udp 1280 ttl 63 DF"},
       ""},
      {"after the fabric's word packets without DF go in outer fragments",
       kIpip,
       large_pods,
       {from_uplink(too_big(1300)), from_pod(out(1400))},
       {"host 10.250.0.1 > 10.250.0.4 icmp 3/4 mtu 1300 576 ttl 64",
        "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 1300 ttl 63 at 0 MF | 100.96.1.10 > "
        "100.96.2.10 udp 1400 ttl 63 + uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 140 ttl "
        "63 at 1280"},
       ""},
      {"fragments for the node itself are put together",
       kRouted,
       unchanged,
       {from_uplink(for_node(fragment_of(0, 820, true))),
        from_uplink(for_node(fragment_of(800, 420, false)))},
       {"held", "host 10.250.0.5 > 10.250.0.4 udp 1220 ttl 64"},
       "a raw socket hears the whole with the UDP length of the first fragment, which a descriptor "
       "does not carry"},
      {"fragments for a pod pass one by one",
       kRouted,
       unchanged,
       {from_uplink([] {
         auto p = fragment_of(0, 820, true);
         std::swap(p.inner.source, p.inner.destination);
         return p;
       }())},
       {"pod 100.96.2.10 > 100.96.1.10 udp 820 ttl 63 at 0 MF"},
       ""},
  };
}

}  // namespace overlane::conformance::testing
