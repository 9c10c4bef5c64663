#include "dataplane/kernel/set_up/changes.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/set_up/set_up.h"
#include "dataplane/node/state/world.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::kernel {
namespace changes_test {

using node::NodeEditor;
using node::NodeState;
using node::testing::ip;
using node::testing::make_cluster;
using node::testing::net;
using ::testing::HasSubstr;
using ::testing::Not;

NodeState node_with(Encapsulation encapsulation) {
  return make_cluster({.encapsulation = encapsulation}).nodes[0];
}

std::string changes(const NodeState& before, const NodeState& after) {
  return to_string(commands_between(set_up(before).commands, set_up(after).commands));
}

TEST(CommandsBetween, AreNoneIfNothingDiffers) {
  for (const Encapsulation encapsulation :
       {Encapsulation::None, Encapsulation::Ipip, Encapsulation::Vxlan})
    EXPECT_EQ(changes(node_with(encapsulation), node_with(encapsulation)), "");
}

TEST(CommandsBetween, ReplaceARouteInPlace) {
  const NodeState before = node_with(Encapsulation::Ipip);
  NodeState after = before;
  NodeEditor editor(after);
  const node::Route* route = before.routes.find(net("0.0.0.0/0"));
  ASSERT_NE(route, nullptr);
  ASSERT_TRUE(editor.set_route(net("100.96.2.0/24"), *route));
  EXPECT_EQ(changes(before, after),
            "ip route replace 100.96.2.0/24 via 10.250.0.1 dev eth0 proto static\n");
  EXPECT_EQ(changes(after, before),
            "ip route replace 100.96.2.0/24 via 10.250.0.5 dev tunl0 proto bird onlink\n");
}

TEST(CommandsBetween, RemoveARoute) {
  const NodeState before = node_with(Encapsulation::Ipip);
  NodeState after = before;
  ASSERT_TRUE(NodeEditor(after).remove_route(net("100.96.2.0/24")));
  EXPECT_EQ(changes(before, after), "ip route del 100.96.2.0/24\n");
}

TEST(CommandsBetween, MakeAndRemoveATunnelDeviceWithWhatBelongsToIt) {
  const NodeState with = node_with(Encapsulation::Vxlan);
  const NodeState without = node_with(Encapsulation::None);
  const std::string made = changes(without, with);
  EXPECT_THAT(made, HasSubstr("ip link add vxlan.calico "));
  EXPECT_THAT(made, HasSubstr("bridge fdb replace "));
  EXPECT_THAT(made, HasSubstr("dev vxlan.calico proto 80 mtu 1450 onlink\n"));
  EXPECT_THAT(made, Not(HasSubstr("eth0 address")));
  const std::string removed = changes(with, without);
  EXPECT_THAT(removed, HasSubstr("ip link del vxlan.calico\n"));
  EXPECT_THAT(removed, Not(HasSubstr("fdb del"))) << "the kernel removes them with the device";
}

TEST(CommandsBetween, SetDownWhatCannotBeRemoved) {
  EXPECT_THAT(changes(node_with(Encapsulation::Ipip), node_with(Encapsulation::None)),
              HasSubstr("ip link set tunl0 down\n"))
      << "every namespace has the fallback device";
}

TEST(CommandsBetween, KeepADeviceOfAnotherMtu) {
  const NodeState before = node_with(Encapsulation::Vxlan);
  NodeState after = before;
  node::Device device = *before.find_device(std::string_view("vxlan.calico"));
  device.mtu = 1400;
  ASSERT_TRUE(NodeEditor(after).set_device(device));
  EXPECT_EQ(changes(before, after), "ip link set vxlan.calico mtu 1400\n");
}

TEST(CommandsBetween, WriteTheRoutesOfADeviceThatComesUp) {
  const NodeState up = node_with(Encapsulation::Vxlan);
  NodeState down = up;
  node::Device device = *up.find_device(std::string_view("vxlan.calico"));
  device.up = false;
  ASSERT_TRUE(NodeEditor(down).set_device(device));
  EXPECT_EQ(changes(up, down), "ip link set vxlan.calico down\n");
  const std::string risen = changes(down, up);
  EXPECT_TRUE(risen.starts_with("ip link set vxlan.calico up\n")) << risen;
  EXPECT_THAT(risen, HasSubstr("ip route replace 100.96.2.0/24 "));
}

TEST(CommandsBetween, ReplaceAllRulesOfAFilterTableAtOnce) {
  const std::vector<Command> before = {{Program::Iptables, "-A FORWARD -p 4 -j DROP", "filter"}};
  const std::vector<Command> after = {{Program::Iptables, "-A FORWARD -p 17 -j DROP", "filter"},
                                      {Program::Iptables, "-A POSTROUTING -j MASQUERADE", "nat"}};
  EXPECT_EQ(to_string(commands_between(before, after)),
            "iptables-legacy -t filter -F\niptables-legacy -t filter -X\n"
            "iptables-legacy -t filter -A FORWARD -p 17 -j DROP\n"
            "iptables-legacy -t nat -A POSTROUTING -j MASQUERADE\n");
  EXPECT_TRUE(commands_between(before, before).empty());
}

TEST(CommandsBetween, KnowRoutesOfTablesAndTypes) {
  const std::vector<Command> before = {
      {Program::Ip, "route add 100.96.1.0/24 via 10.0.0.1 dev a table 1000"},
      {Program::Ip, "route add blackhole 100.96.2.0/24 table 1000"},
      {Program::Ip, "route replace default via 10.0.0.1 dev a metric 5"}};
  const std::vector<Command> after = {
      {Program::Ip, "route add 100.96.1.0/24 via 10.0.0.2 dev a table 1000"},
      {Program::Ip, "route replace default via 10.0.0.1 dev a metric 7"}};
  EXPECT_EQ(to_string(commands_between(before, after)),
            "ip route del 100.96.2.0/24 table 1000\n"
            "ip route replace 100.96.1.0/24 via 10.0.0.2 dev a table 1000\n"
            "ip route del default\n"
            "ip route replace default via 10.0.0.1 dev a metric 7\n");
}

}  // namespace changes_test
}  // namespace overlane::kernel
