#include "dataplane/conformance/testing/case.h"
#include "dataplane/node/state/world.h"

namespace overlane::conformance::testing {
namespace {

using node::RouteKind;

void down(NodeState& state, const char* name) {
  device(state, name).up = false;
}

const forward::Packet kOut = udp(pod(0), pod(1));

}  // namespace

std::vector<Case> device_cases() {
  return {
      {"tunl0 is down: its routes are flushed and the packet leaves bare",
       kIpip,
       [](NodeState& s) { down(s, "tunl0"); },
       {from_pod(kOut)},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 100 ttl 63"},
       ""},
      {"vxlan.calico is down: its routes are flushed and the packet leaves bare",
       kVxlan,
       [](NodeState& s) { down(s, "vxlan.calico"); },
       {from_pod(kOut)},
       {"uplink via 10.250.0.1 100.96.1.10 > 100.96.2.10 udp 100 ttl 63"},
       ""},
      {"vxlan.calico is gone and a black hole takes over",
       kVxlan,
       [](NodeState& s) {
         node::NodeEditor(s).remove_device("vxlan.calico");
         node::NodeEditor(s).set_route(net("100.96.0.0/16"), {.kind = RouteKind::Blackhole});
       },
       {from_pod(kOut)},
       {"blackhole-route"},
       ""},
  };
}

}  // namespace overlane::conformance::testing
