#include "dataplane/conformance/testing/fragments.h"

namespace overlane::conformance::testing {
namespace {

void untracked_vxlan(NodeState& state) {
  use(state, {.untracked_udp_ports = {node::kCalicoVxlanPort}});
}

/// Sends one packet before the fragments: an ip6tnl device learns the headroom that it needs from
/// its first packet, unless the route to its far end existed when the device was created.
Arrivals after_a_first(Arrival first, const Arrivals& fragments) {
  Arrivals arrivals{std::move(first)};
  arrivals.insert(arrivals.end(), fragments.begin(), fragments.end());
  return arrivals;
}

}  // namespace

std::vector<Case> transit_tunnel_cases() {
  return {
      {"a pod's fragments are cut anew for IPIP", kIpip, track,
       as_fragments(from_pod, udp(pod(0), pod(1), 1000), kUneven),
       then(2,
            "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 640 ttl 63 | 100.96.1.10 > "
            "100.96.2.10 udp 620 ttl 63 at 0 MF + uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 "
            "ipip 420 ttl 63 | 100.96.1.10 > 100.96.2.10 udp 400 ttl 63 at 600"),
       ""},
      {"a pod's fragments with DF keep it in IPIP", kIpip, track,
       as_fragments(from_pod, df(udp(pod(0), pod(1), 1000)), kUneven),
       then(2,
            "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 640 ttl 63 DF | 100.96.1.10 > "
            "100.96.2.10 udp 620 ttl 63 DF at 0 MF + uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 "
            "ipip 420 ttl 63 DF | 100.96.1.10 > 100.96.2.10 udp 400 ttl 63 DF at 600"),
       ""},
      {"fragments out of IPIP are put together behind it", kIpip, track,
       in_tunnel(kIpip, as_fragments(from_uplink, udp(pod(1), pod(0), 1000), kThree)),
       then(2, fragments("pod 100.96.2.10 > 100.96.1.10 udp {} ttl 63", kThree)), ""},
      {"outer fragments of IPIP are put together before it is tracked", kIpip, track,
       outer_fragments(tunnelled(kIpip, udp(pod(1), pod(0), 1000)), {400, 800, 1000}),
       then(2, "pod 100.96.2.10 > 100.96.1.10 udp 1000 ttl 63"), ""},
      {"a pod's fragments are cut anew for VXLAN", kVxlan, untracked_vxlan,
       as_fragments(from_pod, udp(pod(0), pod(1), 1000), kUneven),
       then(2,
            "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 vxlan 670 ttl 64 | 100.96.1.10 > "
            "100.96.2.10 udp 620 ttl 63 at 0 MF + uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 "
            "vxlan 450 ttl 64 | 100.96.1.10 > 100.96.2.10 udp 400 ttl 63 at 600"),
       ""},
      {"fragments out of VXLAN are put together behind it", kVxlan, untracked_vxlan,
       in_tunnel(kVxlan, as_fragments(from_uplink, udp(pod(1), pod(0), 1000), kThree)),
       then(2, fragments("pod 100.96.2.10 > 100.96.1.10 udp {} ttl 63", kThree)), ""},
      {"outer fragments of VXLAN are put together though it is not tracked", kVxlan,
       untracked_vxlan,
       outer_fragments(tunnelled(kVxlan, udp(pod(1), pod(0), 1000)), {400, 800, 1030}),
       then(2, "pod 100.96.2.10 > 100.96.1.10 udp 1000 ttl 63"), ""},
      {"a pod's fragments are cut anew for Geneve", kGeneve, track,
       as_fragments(from_pod, udp(pod(0), pod(1), 1000), kUneven),
       then(2,
            "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 geneve 670 ttl 64 | 100.96.1.10 > "
            "100.96.2.10 udp 620 ttl 63 at 0 MF + uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 "
            "geneve 450 ttl 64 | 100.96.1.10 > 100.96.2.10 udp 400 ttl 63 at 600"),
       ""},
      {"fragments out of Geneve are put together behind it", kGeneve, track,
       in_tunnel(kGeneve, as_fragments(from_uplink, udp(pod(1), pod(0), 1000), kThree)),
       then(2, fragments("pod 100.96.2.10 > 100.96.1.10 udp {} ttl 63", kThree)), ""},
      {"IPv6: a pod's fragments are cut anew for sit", kSit, track,
       as_fragments(from_pod, udp(pod_v6(0), pod_v6(1), 2500), {1200, 2200, 2460}),
       then(2,
            "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 sit 1300 ttl 64 | fd00:10:96:1::10 > "
            "fd00:10:96:2::10 udp 1280 ttl 63 at 0 MF + uplink via 10.250.0.5 10.250.0.4 > "
            "10.250.0.5 sit 1296 ttl 64 | fd00:10:96:1::10 > fd00:10:96:2::10 udp 1276 ttl 63 at "
            "1232"),
       ""},
      {"IPv6: fragments out of sit are put together behind it", kSit, track,
       in_tunnel(kSit, as_fragments(from_uplink, udp(pod_v6(1), pod_v6(0), 1000), kThreeV6)),
       then(2, fragments("pod fd00:10:96:2::10 > fd00:10:96:1::10 udp {} ttl 63", kThreeV6)), ""},
      {"IPv6: a pod's fragments are cut anew for VXLAN", kVxlan, untracked_vxlan,
       as_fragments(from_pod, udp(pod_v6(0), pod_v6(1), 2500), {1200, 2200, 2460}),
       then(2,
            "uplink via fd00:10:250::5 fd00:10:250::4 > fd00:10:250::5 vxlan 1350 ttl 64 | "
            "fd00:10:96:1::10 > fd00:10:96:2::10 udp 1280 ttl 63 at 0 MF + uplink via "
            "fd00:10:250::5 fd00:10:250::4 > fd00:10:250::5 vxlan 1346 ttl 64 | fd00:10:96:1::10 > "
            "fd00:10:96:2::10 udp 1276 ttl 63 at 1232"),
       ""},
      {"IPv6: outer fragments of VXLAN are put together", kVxlan, untracked_vxlan,
       outer_fragments(tunnelled(kVxlan, udp(pod_v6(1), pod_v6(0), 1000)), {400, 800, 1030}),
       then(2, "pod fd00:10:96:2::10 > fd00:10:96:1::10 udp 1000 ttl 63"), ""},
      {"a pod's fragments are cut anew for ip6tnl",
       kIp6Tnl,
       track,
       after_a_first(from_pod(udp(pod(0), pod(1))),
                     as_fragments(from_pod, udp(pod(0), pod(1), 1000), kUneven)),
       {"uplink via fd00:10:250::5 fd00:10:250::4 > fd00:10:250::5 ip6tnl 148 ttl 64 | 100.96.1.10 "
        "> 100.96.2.10 udp 100 ttl 63",
        "held", "held",
        "uplink via fd00:10:250::5 fd00:10:250::4 > fd00:10:250::5 ip6tnl 668 ttl 64 | 100.96.1.10 "
        "> 100.96.2.10 udp 620 ttl 63 at 0 MF + uplink via fd00:10:250::5 fd00:10:250::4 > "
        "fd00:10:250::5 ip6tnl 448 ttl 64 | 100.96.1.10 > 100.96.2.10 udp 400 ttl 63 at 600"},
       ""},
  };
}

}  // namespace overlane::conformance::testing
