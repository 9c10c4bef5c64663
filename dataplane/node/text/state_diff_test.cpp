#include "dataplane/node/text/state_diff.h"

#include <gtest/gtest.h>

#include "dataplane/node/state/world.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::node {

namespace state_diff_test {

using testing::ip;
using testing::make_cluster;
using testing::net;
using testing::pod;

NodeState node_of(Encapsulation encapsulation, std::uint32_t nodes = 3) {
  return make_cluster({.encapsulation = encapsulation, .nodes = nodes}).nodes[0];
}

struct Change {
  const char* sentence;
  Encapsulation encapsulation;
  void (*make)(NodeState&);
  const char* diff;
};

const Change kChanges[] = {
    {"nothing", Encapsulation::Ipip, [](NodeState&) {}, ""},
    {"a peer's route goes", Encapsulation::Ipip,
     [](NodeState& state) { NodeEditor(state).remove_route(net("100.96.2.0/24")); },
     "- 100.96.2.0/24 via 10.250.0.5 dev tunl0 proto bird onlink\n"},
    {"a peer's route leaves the tunnel", Encapsulation::Ipip,
     [](NodeState& state) {
       NodeEditor(state).set_route(
           net("100.96.2.0/24"),
           {.device = "eth0", .via = ip("10.250.0.5"), .protocol = RouteProtocol::Bird});
     },
     "- 100.96.2.0/24 via 10.250.0.5 dev tunl0 proto bird onlink\n"
     "+ 100.96.2.0/24 via 10.250.0.5 dev eth0 proto bird\n"},
    {"the change is undone", Encapsulation::Ipip,
     [](NodeState& state) {
       NodeEditor(state).remove_route(net("100.96.2.0/24"));
       NodeEditor(state).set_route(net("100.96.2.0/24"), {.device = "tunl0",
                                                          .via = ip("10.250.0.5"),
                                                          .onlink = true,
                                                          .protocol = RouteProtocol::Bird});
     },
     ""},
    {"a pod goes", Encapsulation::Ipip,
     [](NodeState& state) {
       std::erase_if(state.pods, [](const LocalPod& p) { return p.address == pod(0, 1); });
     },
     "- cali6460010b: veth mtu 1480 state UP\n"
     "- 100.96.1.11 dev cali6460010b proto boot scope link\n"},
    {"a pod is made anew with the link's MTU", Encapsulation::Ipip,
     [](NodeState& state) { state.pods[0].mtu = 1500; },
     "- cali6460010a: veth mtu 1480 state UP\n"
     "+ cali6460010a: veth mtu 1500 state UP\n"},
    {"the tunnel device goes down and takes its routes along", Encapsulation::Ipip,
     [](NodeState& state) {
       for (Device& device : state.devices)
         if (device.name == "tunl0") device.up = false;
     },
     "- tunl0: ipip mtu 1480 state UP inet 100.96.1.1\n"
     "+ tunl0: ipip mtu 1480 state DOWN inet 100.96.1.1\n"
     "- 100.96.2.0/24 via 10.250.0.5 dev tunl0 proto bird onlink\n"
     "- 100.96.3.0/24 via 10.250.0.6 dev tunl0 proto bird onlink\n"},
    {"vxlan-v6.calico goes with its neighbours", Encapsulation::Vxlan,
     [](NodeState& state) { NodeEditor(state).remove_device("vxlan-v6.calico"); },
     "- vxlan-v6.calico: vxlan id 4096 dstport 4789 lladdr 66:06:00:00:00:00 over IPv6 mtu 1430 "
     "state UP inet6 fd00:10:96:1::1\n"
     "- fd00:10:96:2::/64 via fd00:10:96:2::1 dev vxlan-v6.calico proto 80 mtu 1430 onlink\n"
     "- fd00:10:96:3::/64 via fd00:10:96:3::1 dev vxlan-v6.calico proto 80 mtu 1430 onlink\n"
     "- 66:06:00:00:00:01 dev vxlan-v6.calico dst fd00:10:250::5 self permanent\n"
     "- 66:06:00:00:00:02 dev vxlan-v6.calico dst fd00:10:250::6 self permanent\n"
     "- fd00:10:96:2::1 dev vxlan-v6.calico lladdr 66:06:00:00:00:01 PERMANENT\n"
     "- fd00:10:96:3::1 dev vxlan-v6.calico lladdr 66:06:00:00:00:02 PERMANENT\n"},
    {"a sysctl changes", Encapsulation::None,
     [](NodeState& state) { state.sysctls.rp_filter_all = 1; },
     "- net.ipv4.conf.all.rp_filter = 0\n"
     "+ net.ipv4.conf.all.rp_filter = 1\n"},
};

TEST(StateDiff, TellsWhatAChangeMadeOfANode) {
  for (const Change& change : kChanges) {
    const NodeState before = node_of(change.encapsulation);
    NodeState after = before;
    change.make(after);
    EXPECT_EQ(diff(before, after), change.diff) << change.sentence;
  }
}

TEST(StateDiff, OfTwoModesNamesEachLineThatDiffers) {
  const NodeState routed = node_of(Encapsulation::None, 2);
  const NodeState ipip = node_of(Encapsulation::Ipip, 2);
  const std::string text = diff(routed, ipip);
  EXPECT_NE(text.find("+ tunl0: ipip mtu 1480 state UP inet 100.96.1.1\n"), text.npos) << text;
  EXPECT_NE(text.find("+ blackhole 100.96.1.0/24 proto bird\n"), text.npos) << text;
  EXPECT_NE(text.find("+ 100.96.2.0/24 via 10.250.0.5 dev tunl0 proto bird onlink\n"), text.npos)
      << text;
}

TEST(StateDiff, TellsWhatAChangeMadeOfTheVpc) {
  const FabricState before = make_cluster({.nodes = 2}).fabric;
  FabricState after = before;
  EXPECT_EQ(diff(before, after), "");
  FabricEditor(after).remove_route(0, net("100.96.2.0/24"));
  FabricEditor(after).set_route(0, net("100.96.1.0/24"), {.target = FabricTarget::Blackhole});
  after.instances[1].source_destination_check = true;
  after.dropped_protocols = {4};
  after.path_mtu.across_zones = 1400;
  after.denied = {{.protocol = 4}};
  EXPECT_EQ(diff(before, after),
            "+ path mtu across zones 1400\n"
            "- table table-1: 100.96.1.0/24 -> node-1 (route controller)\n"
            "+ table table-1: 100.96.1.0/24 -> blackhole (system)\n"
            "- table table-1: 100.96.2.0/24 -> node-2 (route controller)\n"
            "- instance node-2 10.250.0.5 fd00:10:250::5 subnet subnet-1 source/destination check "
            "off\n"
            "+ instance node-2 10.250.0.5 fd00:10:250::5 subnet subnet-1 source/destination check "
            "on\n"
            "+ drops protocol 4\n"
            "+ deny ipip\n");
}

}  // namespace state_diff_test

}  // namespace overlane::node
