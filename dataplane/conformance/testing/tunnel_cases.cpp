#include "dataplane/conformance/testing/case.h"
#include "dataplane/node/state/world.h"

namespace overlane::conformance::testing {
namespace {

const forward::Packet kOut = udp(pod(0), pod(1));
const forward::Packet kIn = udp(pod(1), pod(0));
const forward::Packet kOutV6 = udp(pod_v6(0), pod_v6(1));
const forward::Packet kInV6 = udp(pod_v6(1), pod_v6(0));

forward::Packet from(const char* source, forward::Packet packet) {
  packet.outer.source = ip(source);
  return packet;
}
void no_filter(NodeState& state) {
  state.filter = nullptr;
}

}  // namespace

std::vector<Case> tunnel_cases() {
  return {
      {"IPIP inherits the TTL",
       kIpip,
       unchanged,
       {from_pod(ttl(9, kOut))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 120 ttl 8 | 100.96.1.10 > 100.96.2.10 "
        "udp 100 ttl 8"},
       ""},
      {"IPIP inherits DF",
       kIpip,
       unchanged,
       {from_pod(df(kOut))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 120 ttl 63 DF | 100.96.1.10 > "
        "100.96.2.10 udp 100 ttl 63 DF"},
       ""},
      {"IPIP leaves DF unset where the inner packet does",
       kIpip,
       unchanged,
       {from_pod(kOut)},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 120 ttl 63 | 100.96.1.10 > 100.96.2.10 "
        "udp 100 ttl 63"},
       ""},
      {"a TTL of 1 ends before IPIP",
       kIpip,
       unchanged,
       {from_pod(ttl(1, kOut))},
       {"pod 10.250.0.4 > 100.96.1.10 icmp 11/0 128 ttl 64 tos c0; ttl-expired"},
       ""},
      {"an IPIP packet with an outer TTL of 1 is taken",
       kIpip,
       unchanged,
       {from_uplink([] {
         auto p = tunnelled(kIpip, kIn);
         p.outer.ttl = 1;
         return p;
       }())},
       {"pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"an inner TTL of 1 ends behind IPIP, answered through the tunnel",
       kIpip,
       unchanged,
       {from_uplink(tunnelled(kIpip, ttl(1, kIn)))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 148 ttl 64 | 100.96.1.1 > 100.96.2.10 "
        "icmp 11/0 128 ttl 64 tos c0; ttl-expired"},
       ""},
      {"VXLAN has a TTL of its own",
       kVxlan,
       unchanged,
       {from_pod(ttl(9, kOut))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 vxlan 150 ttl 64 | 100.96.1.10 > "
        "100.96.2.10 udp 100 ttl 8"},
       ""},
      {"VXLAN never sets DF",
       kVxlan,
       unchanged,
       {from_pod(df(kOut))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 vxlan 150 ttl 64 | 100.96.1.10 > "
        "100.96.2.10 udp 100 ttl 63 DF"},
       ""},
      {"an inner TTL of 1 ends behind VXLAN, answered through the tunnel",
       kVxlan,
       unchanged,
       {from_uplink(tunnelled(kVxlan, ttl(1, kIn)))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 vxlan 178 ttl 64 | 100.96.1.1 > 100.96.2.10 "
        "icmp 11/0 128 ttl 64 tos c0; ttl-expired"},
       ""},
      {"sit has a TTL of its own",
       kSit,
       unchanged,
       {from_pod(ttl(9, kOutV6))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 sit 120 ttl 64 | fd00:10:96:1::10 > "
        "fd00:10:96:2::10 udp 100 ttl 8"},
       ""},
      {"ip6tnl carries IPv4 with its encapsulation limit",
       kIp6Tnl,
       unchanged,
       {from_pod(df(kOut))},
       {"uplink via fd00:10:250::5 fd00:10:250::4 > fd00:10:250::5 ip6tnl 148 ttl 64 | 100.96.1.10 "
        "> 100.96.2.10 udp 100 ttl 63 DF"},
       ""},
      {"ip6tnl carries IPv6 as well",
       kIp6Tnl,
       unchanged,
       {from_pod(kOutV6)},
       {"uplink via fd00:10:250::5 fd00:10:250::4 > fd00:10:250::5 ip6tnl 148 ttl 64 | "
        "fd00:10:96:1::10 > fd00:10:96:2::10 udp 100 ttl 63"},
       ""},
      {"ip6tnl brings IPv6",
       kIp6Tnl,
       unchanged,
       {from_uplink(tunnelled(kIp6Tnl, kInV6))},
       {"pod fd00:10:96:2::10 > fd00:10:96:1::10 udp 100 ttl 63"},
       ""},
      {"Geneve has a TTL of its own and never sets DF",
       kGeneve,
       unchanged,
       {from_pod(df(ttl(9, kOut)))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 geneve 150 ttl 64 | 100.96.1.10 > "
        "100.96.2.10 udp 100 ttl 8 DF"},
       ""},
      {"Geneve carries IPv6",
       kGeneve,
       unchanged,
       {from_pod(kOutV6)},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 geneve 150 ttl 64 | fd00:10:96:1::10 > "
        "fd00:10:96:2::10 udp 100 ttl 63"},
       ""},
      {"Geneve brings IPv6",
       kGeneve,
       unchanged,
       {from_uplink(tunnelled(kGeneve, kInV6))},
       {"pod fd00:10:96:2::10 > fd00:10:96:1::10 udp 100 ttl 63"},
       ""},
      {"Geneve over IPv6 carries IPv4",
       kGeneveV6,
       unchanged,
       {from_pod(kOut)},
       {"uplink via fd00:10:250::5 fd00:10:250::4 > fd00:10:250::5 geneve 170 ttl 64 | 100.96.1.10 "
        "> 100.96.2.10 udp 100 ttl 63"},
       ""},
      {"Geneve over IPv6 brings IPv4",
       kGeneveV6,
       unchanged,
       {from_uplink(tunnelled(kGeneveV6, kIn))},
       {"pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"VXLAN over IPv6 carries IPv6",
       kVxlan,
       unchanged,
       {from_pod(kOutV6)},
       {"uplink via fd00:10:250::5 fd00:10:250::4 > fd00:10:250::5 vxlan 170 ttl 64 | "
        "fd00:10:96:1::10 > fd00:10:96:2::10 udp 100 ttl 63"},
       ""},
      {"IPIP from a stranger is stopped by its source",
       kIpip,
       unchanged,
       {from_uplink(from("10.250.0.77", tunnelled(kIpip, kIn)))},
       {"tunnel-source"},
       ""},
      {"VXLAN from a stranger is stopped by its source",
       kVxlan,
       unchanged,
       {from_uplink(from("10.250.0.77", tunnelled(kVxlan, kIn)))},
       {"tunnel-source"},
       ""},
      {"without a filter tunl0 takes IPIP from anyone",
       kIpip,
       no_filter,
       {from_uplink(from("10.250.0.77", tunnelled(kIpip, kIn)))},
       {"pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"without a filter vxlan.calico takes VXLAN from anyone",
       kVxlan,
       no_filter,
       {from_uplink(from("10.250.0.77", tunnelled(kVxlan, kIn)))},
       {"pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"without a filter ip6tnl answers a stranger: port unreachable",
       kIp6Tnl,
       no_filter,
       {from_uplink(from("fd00:10:250::99", tunnelled(kIp6Tnl, kIn)))},
       {"uplink via fd00:10:250::99 fd00:10:250::4 > fd00:10:250::99 icmp 1/4 196 ttl 64; "
        "tunnel-unknown"},
       ""},
      {"without a filter Geneve with a remote is silent to a stranger",
       kGeneve,
       no_filter,
       {from_uplink(from("10.250.0.99", tunnelled(kGeneve, kIn)))},
       {"tunnel-unknown"},
       ""},
      {"VXLAN of another VNI is lost silently",
       kVxlan,
       unchanged,
       {from_uplink([] {
         auto p = tunnelled(kVxlan, kIn);
         p.vni = 7;
         return p;
       }())},
       {"tunnel-unknown"},
       ""},
      {"VXLAN on a port where nothing listens: port unreachable",
       kVxlan,
       unchanged,
       {from_uplink([] {
         auto p = tunnelled(kVxlan, kIn);
         p.outer_destination_port = 8472;
         return p;
       }())},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 icmp 3/3 178 ttl 64 tos c0; tunnel-unknown"},
       ""},
      {"VXLAN at a routed node: port unreachable",
       kRouted,
       unchanged,
       {from_uplink(tunnelled(kVxlan, kIn))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 icmp 3/3 178 ttl 64 tos c0; tunnel-unknown"},
       ""},
      {"VXLAN with vxlan.calico down: port unreachable",
       kVxlan,
       [](NodeState& s) { device(s, "vxlan.calico").up = false; },
       {from_uplink(tunnelled(kVxlan, kIn))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 icmp 3/3 178 ttl 64 tos c0; tunnel-unknown"},
       ""},
      {"IPIP with tunl0 down: port unreachable",
       kIpip,
       [](NodeState& s) { device(s, "tunl0").up = false; },
       {from_uplink(tunnelled(kIpip, kIn))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 icmp 3/3 148 ttl 64 tos c0; tunnel-unknown"},
       ""},
      {"what comes out of a tunnel can leave bare for another node",
       kIpip,
       [](NodeState& s) {
         node::NodeEditor(s).set_route(
             net("100.96.3.0/24"),
             {.device = "eth0", .via = ip("10.250.0.6"), .protocol = node::RouteProtocol::Static});
       },
       {from_uplink(tunnelled(kIpip, udp(pod(1), pod(2))))},
       {"uplink via 10.250.0.6 100.96.2.10 > 100.96.3.10 udp 100 ttl 63"},
       ""},
      {"what comes out of a tunnel can be for the node itself",
       kIpip,
       unchanged,
       {from_uplink(tunnelled(kIpip, udp(pod(1), ip("100.96.1.1"))))},
       {"host 100.96.2.10 > 100.96.1.1 udp 100 ttl 64"},
       ""},
      {"a vanished pod behind VXLAN is a black hole",
       kVxlan,
       unchanged,
       {from_uplink(tunnelled(kVxlan, udp(pod(1), ip("100.96.1.77"))))},
       {"blackhole-route"},
       ""},
      {"no route for the outer packet is silent",
       kIpip,
       [](NodeState& s) {
         node::NodeEditor(s).remove_route(net("10.250.0.0/24"));
         node::NodeEditor(s).remove_route(net("0.0.0.0/0"));
       },
       {from_pod(kOut)},
       {"no-route"},
       ""},
      {"a stale IPIP route sends to the node that is no more",
       kIpip,
       [](NodeState& s) {
         node::NodeEditor(s).set_route(net("100.96.2.0/24"),
                                       {.device = "tunl0",
                                        .via = ip("10.250.0.99"),
                                        .onlink = true,
                                        .protocol = node::RouteProtocol::Bird});
       },
       {from_pod(kOut)},
       {"uplink via 10.250.0.99 10.250.0.4 > 10.250.0.99 ipip 120 ttl 63 | 100.96.1.10 > "
        "100.96.2.10 udp 100 ttl 63"},
       ""},
      {"the outer packet can leave by the gateway",
       kIpip,
       [](NodeState& s) {
         node::NodeEditor(s).set_route(net("100.96.2.0/24"),
                                       {.device = "tunl0",
                                        .via = ip("10.99.0.5"),
                                        .onlink = true,
                                        .protocol = node::RouteProtocol::Bird});
       },
       {from_pod(kOut)},
       {"uplink via 10.250.0.1 10.250.0.4 > 10.99.0.5 ipip 120 ttl 63 | 100.96.1.10 > 100.96.2.10 "
        "udp 100 ttl 63"},
       ""},
      {"IPIP may carry a fragment",
       kIpip,
       unchanged,
       {from_pod([] {
         auto p = kOut;
         p.inner.more_fragments = true;
         p.inner.total_length = 820;
         return p;
       }())},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 840 ttl 63 | 100.96.1.10 > 100.96.2.10 "
        "udp 820 ttl 63 at 0 MF"},
       ""},
  };
}

}  // namespace overlane::conformance::testing
