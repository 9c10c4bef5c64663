#include "dataplane/conformance/testing/case.h"
#include "dataplane/node/state/world.h"

namespace overlane::conformance::testing {
namespace {

auto rp_filter(std::uint8_t all, std::uint8_t uplink, const char* tunnel = "", int of_tunnel = 0) {
  return [=](NodeState& s) {
    s.sysctls.rp_filter_all = all;
    device(s, "eth0").rp_filter = uplink;
    if (*tunnel != '\0') device(s, tunnel).rp_filter = static_cast<std::uint8_t>(of_tunnel);
  };
}

/// Routes the peer's pod CIDR without the tunnel, as during a migration in which the nodes differ.
void bare_peer(NodeState& state) {
  node::NodeEditor(state).set_route(
      net("100.96.2.0/24"),
      {.device = "eth0", .via = ip("10.250.0.5"), .protocol = node::RouteProtocol::Static});
}

const forward::Packet kOut = udp(pod(0), pod(1));
const forward::Packet kIn = udp(pod(1), pod(0));

}  // namespace

std::vector<Case> rp_filter_cases() {
  return {
      {"rp_filter strict on eth0, the way back over eth0",
       kRouted,
       rp_filter(0, 1),
       {from_uplink(kIn)},
       {"pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"rp_filter strict on eth0, the way back over tunl0",
       kIpip,
       rp_filter(0, 1),
       {from_uplink(kIn)},
       {"rp-filter"},
       ""},
      {"rp_filter strict on all, the way back over vxlan.calico",
       kVxlan,
       rp_filter(1, 0),
       {from_uplink(kIn)},
       {"rp-filter"},
       ""},
      {"rp_filter loose on eth0, the way back over tunl0",
       kIpip,
       rp_filter(0, 2),
       {from_uplink(kIn)},
       {"pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"rp_filter loose beats strict: the larger counts",
       kIpip,
       rp_filter(2, 1),
       {from_uplink(kIn)},
       {"pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"rp_filter off, the way back over tunl0",
       kIpip,
       rp_filter(0, 0),
       {from_uplink(kIn)},
       {"pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"rp_filter loose and no way back at all",
       kRouted,
       [](NodeState& s) {
         s.sysctls.rp_filter_all = 2;
         node::NodeEditor(s).remove_route(net("0.0.0.0/0"));
       },
       {from_uplink(kIn)},
       {"rp-filter"},
       ""},
      {"rp_filter strict comes before a TTL of 1",
       kIpip,
       rp_filter(0, 1),
       {from_uplink(ttl(1, kIn))},
       {"rp-filter"},
       ""},
      {"no route comes before rp_filter",
       kIpip,
       [](NodeState& s) {
         s.sysctls.rp_filter_all = 1;
         node::NodeEditor(s).remove_route(net("0.0.0.0/0"));
       },
       {from_uplink(udp(pod(1), ip("8.8.8.8")))},
       {"uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 148 ttl 64 | 100.96.1.1 > 100.96.2.10 "
        "icmp 3/0 128 ttl 64 tos c0; no-route"},
       ""},
      {"after IPIP tunl0's strict filter counts: the way back over tunl0",
       kIpip,
       rp_filter(0, 0, "tunl0", 1),
       {from_uplink(tunnelled(kIpip, kIn))},
       {"pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"after IPIP tunl0's strict filter counts: the way back over eth0",
       kIpip,
       [](NodeState& s) {
         bare_peer(s);
         device(s, "tunl0").rp_filter = 1;
       },
       {from_uplink(tunnelled(kIpip, kIn))},
       {"rp-filter"},
       ""},
      {"after IPIP eth0's strict filter does not count for the inner packet",
       kIpip,
       [](NodeState& s) {
         bare_peer(s);
         device(s, "eth0").rp_filter = 1;
       },
       {from_uplink(tunnelled(kIpip, kIn))},
       {"pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"half migrated, loose: what comes bare is taken, what goes is tunnelled",
       kIpip,
       rp_filter(2, 2),
       {from_uplink(kIn), from_pod(kOut)},
       {"pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63",
        "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 120 ttl 63 | 100.96.1.10 > 100.96.2.10 "
        "udp 100 ttl 63"},
       ""},
      {"half migrated, strict: what comes bare is lost",
       kIpip,
       rp_filter(1, 1),
       {from_uplink(kIn), from_pod(kOut)},
       {"rp-filter",
        "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 ipip 120 ttl 63 | 100.96.1.10 > 100.96.2.10 "
        "udp 100 ttl 63"},
       ""},
      {"half migrated the other way: what comes in IPIP is taken, what goes is bare",
       kIpip,
       [](NodeState& s) { bare_peer(s); },
       {from_uplink(tunnelled(kIpip, kIn)), from_pod(kOut)},
       {"pod 100.96.2.10 > 100.96.1.10 udp 100 ttl 63",
        "uplink via 10.250.0.5 100.96.1.10 > 100.96.2.10 udp 100 ttl 63"},
       ""},
  };
}

}  // namespace overlane::conformance::testing
