#include "dataplane/conformance/testing/case.h"
#include "dataplane/node/state/world.h"

namespace overlane::conformance::testing {
namespace {

using node::RouteKind;

void large_pods(NodeState& state) {
  for (node::LocalPod& local : state.pods)
    local.mtu = 9000;
}
auto with(const char* destination, RouteKind kind) {
  return [=](NodeState& s) { node::NodeEditor(s).set_route(net(destination), {.kind = kind}); };
}
forward::Packet out(std::uint32_t bytes = 100) {
  return udp(pod_v6(0), pod_v6(1), bytes);
}
forward::Packet in(std::uint32_t bytes = 100) {
  return udp(pod_v6(1), pod_v6(0), bytes);
}

}  // namespace

std::vector<Case> ipv6_cases() {
  return {
      {"IPv6: a pod's packet leaves by the default route",
       kRouted,
       unchanged,
       {from_pod(out())},
       {"uplink via fd00:10:250::1 fd00:10:96:1::10 > fd00:10:96:2::10 udp 100 ttl 63"},
       ""},
      {"IPv6: a packet from the fabric reaches its pod",
       kRouted,
       unchanged,
       {from_uplink(in())},
       {"pod fd00:10:96:2::10 > fd00:10:96:1::10 udp 100 ttl 63"},
       ""},
      {"IPv6: a packet for the node is delivered to it",
       kRouted,
       unchanged,
       {from_uplink(udp(ip("fd00:10:250::5"), ip("fd00:10:250::4")))},
       {"host fd00:10:250::5 > fd00:10:250::4 udp 100 ttl 64"},
       ""},
      {"IPv6: traffic class passes through",
       kRouted,
       unchanged,
       {from_pod(tos(0xb9, out()))},
       {"uplink via fd00:10:250::1 fd00:10:96:1::10 > fd00:10:96:2::10 udp 100 ttl 63 tos b9"},
       ""},
      {"IPv6: a hop limit of 1 ends here and the pod hears of it",
       kRouted,
       unchanged,
       {from_pod(ttl(1, out()))},
       {"pod fd00:10:250::4 > fd00:10:96:1::10 icmp 3/0 148 ttl 64; ttl-expired"},
       ""},
      {"IPv6: a hop limit of 1 from the fabric is answered over the uplink",
       kRouted,
       unchanged,
       {from_uplink(ttl(1, in()))},
       {"uplink via fd00:10:250::1 fd00:10:250::4 > fd00:10:96:2::10 icmp 3/0 148 ttl 64; "
        "ttl-expired"},
       ""},
      {"IPv6: an error has no traffic class of its own",
       kRouted,
       unchanged,
       {from_pod(tos(0xb8, ttl(1, out())))},
       {"pod fd00:10:250::4 > fd00:10:96:1::10 icmp 3/0 148 ttl 64; ttl-expired"},
       ""},
      {"IPv6: no route",
       kRouted,
       [](NodeState& s) { node::NodeEditor(s).remove_route(net("::/0")); },
       {from_pod(out())},
       {"pod fd00:10:250::4 > fd00:10:96:1::10 icmp 1/0 148 ttl 64; no-route"},
       ""},
      {"IPv6: an unreachable route says no route",
       kRouted,
       with("fd00:10:96:2::/64", RouteKind::Unreachable),
       {from_pod(out())},
       {"pod fd00:10:250::4 > fd00:10:96:1::10 icmp 1/0 148 ttl 64; unreachable-route"},
       ""},
      {"IPv6: a prohibit route",
       kRouted,
       with("fd00:10:96:2::/64", RouteKind::Prohibit),
       {from_pod(out())},
       {"pod fd00:10:250::4 > fd00:10:96:1::10 icmp 1/1 148 ttl 64; prohibit-route"},
       ""},
      {"IPv6: a black hole is silent",
       kRouted,
       with("fd00:10:96:2::/64", RouteKind::Blackhole),
       {from_pod(out())},
       {"blackhole-route"},
       ""},
      {"IPv6: a pod with another pod's address is stopped",
       kRouted,
       unchanged,
       {from_pod(udp(pod_v6(1), pod_v6(1)))},
       {"source-spoofed"},
       ""},
      {"IPv6: there is no reverse path filter for what is forwarded",
       kVxlan,
       [](NodeState& s) { s.sysctls.rp_filter_all = 1; },
       {from_uplink(in())},
       {"pod fd00:10:96:2::10 > fd00:10:96:1::10 udp 100 ttl 63"},
       ""},
      {"IPv6: without forwarding nothing is forwarded",
       kRouted,
       [](NodeState& s) { s.sysctls.ipv6_forwarding = false; },
       {from_pod(out())},
       {"not-local"},
       ""},
      {"IPv6: 1501 bytes are answered with 1500, never cut",
       kRouted,
       large_pods,
       {from_pod(out(1501))},
       {"pod fd00:10:250::4 > fd00:10:96:1::10 icmp 2/0 mtu 1500 1280 ttl 64; mtu-exceeded"},
       ""},
      {"IPv6: 1500 bytes fit",
       kRouted,
       large_pods,
       {from_pod(out(1500))},
       {"uplink via fd00:10:250::1 fd00:10:96:1::10 > fd00:10:96:2::10 udp 1500 ttl 63"},
       ""},
      {"IPv6: a large error quotes up to 1280 bytes",
       kRouted,
       unchanged,
       {from_pod(ttl(1, out(1500)))},
       {"pod fd00:10:250::4 > fd00:10:96:1::10 icmp 3/0 1280 ttl 64; ttl-expired"},
       ""},
      {"IPv6: 1430 bytes fit through VXLAN",
       kVxlan,
       large_pods,
       {from_pod(out(1430))},
       {"uplink via fd00:10:250::5 fd00:10:250::4 > fd00:10:250::5 vxlan 1500 ttl 64 | "
        "fd00:10:96:1::10 > fd00:10:96:2::10 udp 1430 ttl 63"},
       ""},
      {"IPv6: 1431 bytes are answered with 1430 before VXLAN",
       kVxlan,
       large_pods,
       {from_pod(out(1431))},
       {"pod fd00:10:250::4 > fd00:10:96:1::10 icmp 2/0 mtu 1430 1280 ttl 64; mtu-exceeded"},
       ""},
      {"IPv6: 1480 bytes fit through sit",
       kSit,
       large_pods,
       {from_pod(out(1480))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 sit 1500 ttl 64 | fd00:10:96:1::10 > "
        "fd00:10:96:2::10 udp 1480 ttl 63"},
       ""},
      {"IPv6: 1481 bytes are answered with 1480 before sit",
       kSit,
       large_pods,
       {from_pod(out(1481))},
       {"pod fd00:10:250::4 > fd00:10:96:1::10 icmp 2/0 mtu 1480 1280 ttl 64; mtu-exceeded"},
       ""},
      {"IPv6: 1453 bytes are answered with 1452 before ip6tnl",
       kIp6Tnl,
       large_pods,
       {from_pod(out(1453))},
       {"pod fd00:10:250::4 > fd00:10:96:1::10 icmp 2/0 mtu 1452 1280 ttl 64; mtu-exceeded"},
       ""},
      {"IPv6: a VXLAN packet of another VNI is lost silently",
       kVxlan,
       unchanged,
       {from_uplink([] {
         auto p = tunnelled(kVxlan, in());
         p.vni = 7;
         return p;
       }())},
       {"tunnel-unknown"},
       ""},
      {"IPv6: an inner hop limit of 1 ends behind VXLAN, answered through the tunnel",
       kVxlan,
       unchanged,
       {from_uplink(tunnelled(kVxlan, ttl(1, in())))},
       {"uplink via fd00:10:250::5 fd00:10:250::4 > fd00:10:250::5 vxlan 218 ttl 64 | "
        "fd00:10:96:1::1 > fd00:10:96:2::10 icmp 3/0 148 ttl 64; ttl-expired"},
       ""},
      {"IPv6: a vanished pod behind VXLAN is a black hole",
       kVxlan,
       unchanged,
       {from_uplink(tunnelled(kVxlan, udp(pod_v6(1), ip("fd00:10:96:1::77"))))},
       {"blackhole-route"},
       ""},
  };
}

}  // namespace overlane::conformance::testing
