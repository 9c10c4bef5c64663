#include "dataplane/conformance/testing/case.h"

namespace overlane::conformance::testing {
namespace {

using node::NodeState;
using node::RouteKind;
using node::testing::ip;
using node::testing::net;
using node::testing::pod;

auto without(const char* destination) {
  return [=](NodeState& s) { remove_route(s, net(destination)); };
}
auto with(const char* destination, RouteKind kind) {
  return [=](NodeState& s) { set_route(s, net(destination), {.kind = kind}); };
}

const forward::Packet kOut = udp(pod(0), pod(1));
const forward::Packet kIn = udp(pod(1), pod(0));

}  // namespace

std::vector<Case> routing_cases() {
  return {
      {"a pod's packet leaves by the default route",
       kRouted,
       unchanged,
       {from_pod(kOut)},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 100 ttl 63"},
       ""},
      {"a packet from the fabric reaches its pod",
       kRouted,
       unchanged,
       {from_uplink(kIn)},
       {"pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"pods of one node reach each other",
       kRouted,
       unchanged,
       {from_pod(udp(pod(0), pod(0, 1)))},
       {"pod 100.96.1.10 > 100.96.1.11 udp 100 ttl 63"},
       ""},
      {"a neighbour in the subnet is reached without the gateway",
       kRouted,
       unchanged,
       {from_pod(udp(pod(0), ip("10.250.0.5")))},
       {"uplink via 10.250.0.5 100.96.1.10 > 10.250.0.5 udp 100 ttl 63"},
       ""},
      {"a packet for the node is delivered to it",
       kRouted,
       unchanged,
       {from_pod(udp(pod(0), ip("10.250.0.4")))},
       {"host 100.96.1.10 > 10.250.0.4 udp 100 ttl 64"},
       ""},
      {"a packet for the node with a TTL of 1 is delivered to it",
       kRouted,
       unchanged,
       {from_pod(ttl(1, udp(pod(0), ip("10.250.0.4"))))},
       {"host 100.96.1.10 > 10.250.0.4 udp 100 ttl 1"},
       ""},
      {"a packet for the tunnel's own address is delivered",
       kIpip,
       unchanged,
       {from_pod(udp(pod(0), ip("100.96.1.1")))},
       {"host 100.96.1.10 > 100.96.1.1 udp 100 ttl 64"},
       ""},
      {"TTL, TOS and DF pass through",
       kRouted,
       unchanged,
       {from_pod(ttl(9, tos(0xb9, df(kOut))))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 100 ttl 8 tos b9 DF"},
       ""},
      {"a TTL of 2 is enough",
       kRouted,
       unchanged,
       {from_pod(ttl(2, kOut))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 100 ttl 1"},
       ""},
      {"a TTL of 1 ends here and the pod hears of it",
       kRouted,
       unchanged,
       {from_pod(ttl(1, kOut))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 11/0 128 ttl 64 tos c0; ttl-expired"},
       ""},
      {"a TTL of 0 ends here and the pod hears of it",
       kRouted,
       unchanged,
       {from_pod(ttl(0, kOut))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 11/0 128 ttl 64 tos c0; ttl-expired"},
       ""},
      {"a TTL of 1 from the fabric is answered over the uplink",
       kRouted,
       unchanged,
       {from_uplink(ttl(1, kIn))},
       {"uplink via 10.250.0.1 10.250.0.4 > 100.96.2.10 icmp 11/0 128 ttl 64 tos c0; ttl-expired"},
       ""},
      {"an error keeps four bits of the TOS byte",
       kRouted,
       unchanged,
       {from_pod(tos(0xbb, ttl(1, kOut)))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 11/0 128 ttl 64 tos da; ttl-expired"},
       ""},
      {"no route: network unreachable",
       kRouted,
       without("0.0.0.0/0"),
       {from_pod(kOut)},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/0 128 ttl 64 tos c0; no-route"},
       ""},
      {"no route comes before a TTL of 1",
       kRouted,
       without("0.0.0.0/0"),
       {from_pod(ttl(1, kOut))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/0 128 ttl 64 tos c0; no-route"},
       ""},
      {"an unreachable route: host unreachable",
       kRouted,
       with("100.96.2.0/24", RouteKind::Unreachable),
       {from_pod(kOut)},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/1 128 ttl 64 tos c0; unreachable-route"},
       ""},
      {"a prohibit route: administratively prohibited",
       kRouted,
       with("100.96.2.0/24", RouteKind::Prohibit),
       {from_pod(kOut)},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 3/13 128 ttl 64 tos c0; prohibit-route"},
       ""},
      {"a black hole is silent",
       kRouted,
       with("100.96.2.0/24", RouteKind::Blackhole),
       {from_pod(kOut)},
       {"blackhole-route"},
       ""},
      {"a black hole is silent about a TTL of 1 as well",
       kRouted,
       with("100.96.2.0/24", RouteKind::Blackhole),
       {from_pod(ttl(1, kOut))},
       {"blackhole-route"},
       ""},
      {"the longest prefix wins",
       kRouted,
       with("100.96.0.0/16", RouteKind::Unreachable),
       {from_pod(udp(pod(0), pod(0, 1)))},
       {"pod 100.96.1.10 > 100.96.1.11 udp 100 ttl 63"},
       ""},
      {"a vanished pod behind a black hole is silent",
       kIpip,
       unchanged,
       {from_uplink(udp(ip("10.250.0.5"), ip("100.96.1.77")))},
       {"blackhole-route"},
       ""},
      {"a vanished pod without one goes back to the fabric",
       kRouted,
       unchanged,
       {from_uplink(udp(pod(1), ip("100.96.1.77")))},
       {"uplink via 10.250.0.1 100.96.2.10 > 100.96.1.77 udp 100 ttl 63"},
       ""},
      {"a later fragment is forwarded by itself",
       kRouted,
       unchanged,
       {from_uplink([] {
         auto p = kIn;
         p.inner.fragment_offset = 800;
         p.source_port = 0;
         p.destination_port = 0;
         return p;
       }())},
       {"pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63 at 800"},
       ""},
      {"a later fragment is never answered",
       kRouted,
       without("0.0.0.0/0"),
       {from_pod([] {
         auto p = kOut;
         p.inner.fragment_offset = 800;
         p.source_port = 0;
         p.destination_port = 0;
         return p;
       }())},
       {"no-route"},
       ""},
      {"an ICMP error is never answered",
       kRouted,
       without("0.0.0.0/0"),
       {from_pod([] {
         auto p = kOut;
         p.inner.protocol = forward::kIcmp;
         p.source_port = 0;
         p.destination_port = 0;
         p.icmp = forward::IcmpError{.type = 3,
                                     .code = 1,
                                     .quoted_source = pod(1),
                                     .quoted_destination = pod(0),
                                     .quoted_protocol = 17,
                                     .quoted_source_port = 53,
                                     .quoted_destination_port = 9};
         return p;
       }())},
       {"no-route"},
       ""},
      {"a pod with another node's pod address is stopped",
       kRouted,
       unchanged,
       {from_pod(udp(pod(1), pod(1)))},
       {"source-spoofed"},
       ""},
      {"a pod with the node's address is stopped",
       kRouted,
       unchanged,
       {from_pod(udp(ip("10.250.0.4"), pod(1)))},
       {"source-spoofed"},
       ""},
      {"a pod cannot send IPIP",
       kIpip,
       unchanged,
       {from_pod([] {
         auto p = tunnelled(kIpip, kIn);
         p.outer.source = pod(0);
         p.outer.destination = ip("10.250.0.5");
         return p;
       }())},
       {"packet-filter"},
       ""},
      {"a pod cannot send VXLAN",
       kVxlan,
       unchanged,
       {from_pod([] {
         auto p = tunnelled(kVxlan, kIn);
         p.outer.source = pod(0);
         p.outer.destination = ip("10.250.0.5");
         return p;
       }())},
       {"packet-filter"},
       ""},
      {"the node's own address from outside is no source",
       kRouted,
       unchanged,
       {from_uplink(udp(ip("10.250.0.4"), pod(0)))},
       {"rp-filter"},
       ""},
      {"loopback is no destination",
       kRouted,
       unchanged,
       {from_pod(udp(pod(0), ip("127.0.0.1")))},
       {"martian"},
       "the kernel takes 127.0.0.1 for itself, after which its own source check drops it"},
      {"a multicast group is no destination",
       kRouted,
       unchanged,
       {from_pod(udp(pod(0), ip("224.0.0.9")))},
       {"martian"},
       ""},
      {"the limited broadcast is no destination",
       kRouted,
       unchanged,
       {from_pod(udp(pod(0), ip("255.255.255.255")))},
       {"martian"},
       "the kernel hands a limited broadcast to its own sockets"},
      {"loopback is no source",
       kRouted,
       unchanged,
       {from_uplink(udp(ip("127.0.0.1"), pod(0)))},
       {"martian"},
       ""},
      {"240/4 is forwarded like any other",
       kRouted,
       unchanged,
       {from_pod(udp(pod(0), ip("240.1.2.3")))},
       {"uplink via 10.250.0.1 100.96.1.10 > 240.1.2.3 udp 100 ttl 63"},
       ""},
      {"without ip_forward nothing is forwarded",
       kRouted,
       [](NodeState& s) { s.sysctls.ip_forward = false; },
       {from_pod(kOut)},
       {"not-local"},
       ""},
      {"without ip_forward the node still hears",
       kRouted,
       [](NodeState& s) { s.sysctls.ip_forward = false; },
       {from_uplink(udp(ip("10.250.0.5"), ip("10.250.0.4")))},
       {"host 10.250.0.5 > 10.250.0.4 udp 100 ttl 64"},
       ""},
  };
}

}  // namespace overlane::conformance::testing
