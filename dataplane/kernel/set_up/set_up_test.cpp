#include "dataplane/kernel/set_up/set_up.h"

#include <algorithm>
#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/forward/packet.h"
#include "dataplane/kernel/set_up/node_ports.h"
#include "dataplane/node/state/world.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::kernel {

namespace set_up_test {

using node::NodeState;
using node::testing::ip;
using node::testing::make_cluster;
using node::testing::net;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

NodeState node_with(Encapsulation encapsulation) {
  return make_cluster({.encapsulation = encapsulation}).nodes[0];
}

std::string lines(const NodeState& state) {
  return to_string(set_up(state).commands);
}

TEST(SetUp, ANodePortLeadsToItsEndpointMasqueraded) {
  std::vector<Command> commands;
  add_node_ports(std::vector<NodePort>{{30'001, forward::kUdp, {ip("100.96.1.2"), 53}},
                                       {30'001, forward::kTcp, {ip("100.96.1.2"), 80}}},
                 commands);
  const std::string text = to_string(commands);
  for (const char* rule :
       {"-t nat -A POSTROUTING -m mark --mark 0x4000/0x4000 -j MASQUERADE --random-fully\n",
        "-t nat -A PREROUTING -m addrtype --dst-type LOCAL -p udp --dport 30001 -j MARK --or-mark "
        "0x4000\n",
        "-t nat -A PREROUTING -m addrtype --dst-type LOCAL -p udp --dport 30001 -j DNAT "
        "--to-destination 100.96.1.2:53\n",
        "-t nat -A OUTPUT -m addrtype --dst-type LOCAL -p tcp --dport 30001 -j DNAT "
        "--to-destination 100.96.1.2:80\n"})
    EXPECT_THAT(text, HasSubstr(rule));
  EXPECT_EQ(commands.size(), 9u) << "one rule masquerades all marked connections";
}

TEST(SetUp, MakesTheUplinkAndOneVethPerPod) {
  const auto made = set_up(node_with(Encapsulation::None));
  ASSERT_EQ(made.ports.size(), 5u);
  EXPECT_EQ(made.ports[0].device, "eth0");
  EXPECT_EQ(made.ports[1].device, "cali6460010a");
  EXPECT_THAT(
      to_string(made.commands),
      AllOf(HasSubstr("ip link add eth0 address 02:01:00:00:00:00 mtu 1500 type veth peer name eth0"
                      " mtu 65535 netns world\n"),
            HasSubstr("ip address add 10.250.0.4/32 dev eth0\n"),
            HasSubstr("ip neigh replace 10.250.0.1 lladdr 02:02:00:00:00:00 dev eth0 nud "
                      "permanent\n"),
            HasSubstr("ip route replace 100.96.1.10 dev cali6460010a proto boot scope link src "
                      "10.250.0.4\n"),
            HasSubstr("ip route replace 0.0.0.0/0 via 10.250.0.1 dev eth0 proto static\n"),
            HasSubstr("ip address add fd00:10:250::4/128 dev eth0 nodad\n"),
            HasSubstr("ip route replace ::/0 via fd00:10:250::1 dev eth0 proto static\n"),
            Not(HasSubstr("vxlan"))));
}

TEST(SetUp, TurnsTheFallbackDeviceIntoCalicosIpipDevice) {
  EXPECT_THAT(
      lines(node_with(Encapsulation::Ipip)),
      AllOf(HasSubstr("ip link set tunl0 mtu 1480 up\n"),
            HasSubstr("ip address add 100.96.1.1/32 dev tunl0\n"),
            HasSubstr("ip route replace blackhole 100.96.1.0/24 proto bird\n"),
            HasSubstr("ip route replace 100.96.2.0/24 via 10.250.0.5 dev tunl0 proto bird onlink"
                      "\n")));
}

TEST(SetUp, MakesTheVxlanDeviceWithAnEntryPerPeer) {
  EXPECT_THAT(
      lines(node_with(Encapsulation::Vxlan)),
      AllOf(HasSubstr("ip link add vxlan.calico address 66:00:00:00:00:00 mtu 1450 type vxlan id "
                      "4096 local 10.250.0.4 dev eth0 dstport 4789 nolearning\n"),
            HasSubstr("ip neigh replace 100.96.2.1 lladdr 66:00:00:00:00:01 dev vxlan.calico nud "
                      "permanent\n"),
            HasSubstr("bridge fdb replace 66:00:00:00:00:01 dev vxlan.calico dst 10.250.0.5 self "
                      "permanent\n")));
}

TEST(SetUp, AddsNextHopsAfterTheNetworksThatHoldThem) {
  const std::string text = lines(node_with(Encapsulation::Vxlan));
  EXPECT_LT(text.find("route replace 10.250.0.0/24"), text.find("route replace 0.0.0.0/0"));
}

TEST(SetUp, LeavesOutRoutesOfDevicesThatAreNotThere) {
  NodeState state = node_with(Encapsulation::Ipip);
  node::NodeEditor(state).remove_device("tunl0");
  EXPECT_THAT(lines(state), Not(HasSubstr("tunl0")));
}

TEST(SetUp, TakesADeviceDownWhenItsRoutesStand) {
  NodeState state = node_with(Encapsulation::Vxlan);
  for (node::Device& device : state.devices)
    device.up = device.name != "vxlan.calico";
  const std::string text = lines(state);
  EXPECT_LT(text.find("dev vxlan.calico proto 80"), text.find("ip link set vxlan.calico down"));
}

TEST(SetUp, FiltersAsFelixDoes) {
  NodeState state = node_with(Encapsulation::Ipip);
  EXPECT_THAT(
      lines(state),
      AllOf(HasSubstr("iptables-legacy -t raw -A PREROUTING -i cali+ -m rpfilter --validmark "
                      "--invert -m comment --comment source-spoofed -j DROP\n"),
            HasSubstr("-A INPUT -p 4 -s 10.250.0.5 -m addrtype --dst-type LOCAL -j ACCEPT\n"),
            HasSubstr("-A INPUT -p 4 -m comment --comment tunnel-source -j DROP\n")));
  state.filter = nullptr;
  EXPECT_THAT(lines(state), Not(HasSubstr("tunnel-source")));
}

TEST(SetUp, MasqueradesAsFelixDoes) {
  NodeState state = node_with(Encapsulation::Ipip);
  state.filter = std::make_shared<const node::PacketFilter>(
      node::PacketFilter{.masqueraded_sources = {net("100.96.0.0/16"), net("fd00:10:94::/46")},
                         .unmasqueraded_destinations = {net("100.96.0.0/16")},
                         .nat_ports = node::kGardenerNatPorts,
                         .masqueraded_destinations = {net("192.0.2.53/32")},
                         .tunnel_devices = {"tunl0"},
                         .untracked_udp_ports = {4789}});
  const std::string text = lines(state);
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("iptables-legacy -t nat -A POSTROUTING -d 192.0.2.53/32 -j MASQUERADE\n"),
            HasSubstr("iptables-legacy -t nat -A POSTROUTING -s 100.96.0.0/16 -j nat-outgoing\n"),
            HasSubstr("-A nat-outgoing -p udp -j MASQUERADE --to-ports 32768-65535 "
                      "--random-fully\n"),
            HasSubstr("iptables-legacy -t nat -A POSTROUTING -o tunl0 -m addrtype ! --src-type "
                      "LOCAL --limit-iface-out -m addrtype --src-type LOCAL -j MASQUERADE "
                      "--random-fully\n"),
            HasSubstr("iptables-legacy -t raw -A OUTPUT -p udp --dport 4789 -m addrtype --src-type "
                      "LOCAL -j NOTRACK\n"),
            HasSubstr("ip6tables-legacy -t nat -A POSTROUTING -s fd00:10:94::/46 -j "
                      "nat-outgoing\n"),
            Not(HasSubstr("ip6tables-legacy -t nat -A nat-outgoing -d"))));
  EXPECT_LT(text.find("-A nat-outgoing -d 100.96.0.0/16 -j RETURN"),
            text.find("-A nat-outgoing -j MASQUERADE"));
}

TEST(SetUp, SetsTheReversePathFilterOfEachDevice) {
  NodeState state = node_with(Encapsulation::Vxlan);
  state.sysctls.rp_filter_all = 2;
  for (node::Device& device : state.devices)
    device.rp_filter = device.name == "vxlan.calico" ? 1 : 0;
  EXPECT_THAT(lines(state), AllOf(HasSubstr("sysctl -w net/ipv4/conf/all/rp_filter=2\n"),
                                  HasSubstr("sysctl -w net/ipv4/conf/vxlan.calico/rp_filter=1\n")));
}

TEST(SetUp, KnowsMoreNeighboursWhenAsked) {
  const IpAddress neighbour = ip("10.250.0.99");
  const auto made = set_up(node_with(Encapsulation::None), std::array{neighbour});
  EXPECT_EQ(std::ranges::count(made.neighbours, neighbour, &Neighbour::address), 1);
  EXPECT_THAT(to_string(made.commands), HasSubstr("ip neigh replace 10.250.0.99 lladdr "));
}

}  // namespace set_up_test

}  // namespace overlane::kernel
