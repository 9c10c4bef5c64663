#include <memory>

#include "dataplane/conformance/testing/case.h"

namespace overlane::conformance::testing {
namespace {

using node::NodeState;
using node::PacketFilter;
using node::testing::ip;
using node::testing::net;
using node::testing::pod;
using node::testing::pod_v6;

/// Felix's natOutgoing of a pool in each family.
PacketFilter of_pools() {
  return {.masqueraded_sources = {net("100.96.0.0/16"), net("fd00:10:94::/46")},
          .unmasqueraded_destinations = {net("100.96.0.0/16"), net("fd00:10:94::/46")},
          .nat_ports = node::kGardenerNatPorts};
}
void use(NodeState& state, PacketFilter filter) {
  if (state.filter) filter.tunnel_guards = state.filter->tunnel_guards;
  state.filter = std::make_shared<const PacketFilter>(std::move(filter));
}
void masquerade(NodeState& state) {
  use(state, of_pools());
}

}  // namespace

std::vector<Case> masquerade_cases() {
  return {
      {"where pools are masqueraded, a pod's packet to another keeps its source",
       kRouted,
       masquerade,
       {from_pod(udp(pod(0), pod(1))), from_pod(udp(pod(0), pod(0, 1)))},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 100 ttl 63",
        "pod 100.96.1.10 > 100.96.1.11 udp 100 ttl 63"},
       ""},
      {"where pools are masqueraded, what comes from outside keeps its source",
       kRouted,
       masquerade,
       {from_uplink(udp(ip("192.0.2.10"), pod(0)))},
       {"pod 192.0.2.10 > 100.96.1.10 udp 100 ttl 63"},
       ""},
      {"where pools are masqueraded, VXLAN carries pods' packets as they are, both ways",
       kVxlan,
       [](NodeState& s) {
         PacketFilter filter = of_pools();
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
       masquerade,
       {from_pod(udp(pod_v6(0), pod_v6(1)))},
       {"uplink via fd00:10:250::1 fd00:10:96:1::10 > fd00:10:96:2::10 udp 100 ttl 63"},
       ""},
  };
}

}  // namespace overlane::conformance::testing
