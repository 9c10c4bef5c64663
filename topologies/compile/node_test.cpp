#include <gtest/gtest.h>

#include "topologies/compile/compile.h"
#include "topologies/graph/testing/shoots.h"

namespace overlane::compile {

namespace node_test {

using effective::EffectiveDataplane;
using effective::Encapsulation;
using graph::testing::by_felix;

/// The first of three nodes; the second is in another zone and subnet, the third in its own.
node::NodeState first_node(const EffectiveDataplane& shoot) {
  const auto topology = graph::Topology::build({.shoot = &shoot, .nodes = 3});
  return node_states(*topology, shoot).front();
}

struct Profile {
  const char* name;
  EffectiveDataplane shoot;
  const char* devices;
  const char* routes;
};

std::vector<Profile> profiles() {
  using namespace graph::testing;
  const char* calico_eth0 = "eth0: uplink mtu 1500 state UP inet 10.250.0.4 rp_filter 2\n";
  return {
      {"Calico, backend none", routed_shoot(), calico_eth0,
       "default via 10.250.0.1 dev eth0 proto boot\n"
       "10.250.0.0/17 dev eth0 proto kernel scope link\n"},
      {"Calico 3.31, IPIP", ipip_shoot(),
       "eth0: uplink mtu 1500 state UP inet 10.250.0.4 rp_filter 2\n"
       "tunl0: ipip mtu 1480 state UP inet 100.96.0.1 rp_filter 2\n",
       "default via 10.250.0.1 dev eth0 proto boot\n"
       "10.250.0.0/17 dev eth0 proto kernel scope link\n"
       "blackhole 100.96.0.0/24 proto bird\n"
       "100.96.1.0/24 via 10.250.128.4 dev tunl0 proto bird onlink\n"
       "100.96.2.0/24 via 10.250.0.5 dev tunl0 proto bird onlink\n"},
      {"Calico 3.33, IPIP", by_felix(ipip_shoot()),
       "eth0: uplink mtu 1500 state UP inet 10.250.0.4 rp_filter 2\n"
       "tunl0: ipip mtu 1480 state UP inet 100.96.0.1 rp_filter 2\n",
       "default via 10.250.0.1 dev eth0 proto boot\n"
       "10.250.0.0/17 dev eth0 proto kernel scope link\n"
       "blackhole 100.96.0.0/24 proto 80\n"
       "100.96.1.0/24 via 10.250.128.4 dev tunl0 proto 80 mtu 1480 onlink\n"
       "100.96.2.0/24 via 10.250.0.5 dev tunl0 proto 80 mtu 1480 onlink\n"},
      {"Calico 3.31, IPIP between subnets", cross_subnet_shoot(),
       "eth0: uplink mtu 1500 state UP inet 10.250.0.4 rp_filter 2\n"
       "tunl0: ipip mtu 1480 state UP inet 100.96.0.1 rp_filter 2\n",
       "default via 10.250.0.1 dev eth0 proto boot\n"
       "10.250.0.0/17 dev eth0 proto kernel scope link\n"
       "blackhole 100.96.0.0/24 proto bird\n"
       "100.96.1.0/24 via 10.250.128.4 dev tunl0 proto bird onlink\n"
       "100.96.2.0/24 via 10.250.0.5 dev eth0 proto bird\n"},
      {"Calico 3.33, IPIP between subnets", by_felix(cross_subnet_shoot()),
       "eth0: uplink mtu 1500 state UP inet 10.250.0.4 rp_filter 2\n"
       "tunl0: ipip mtu 1480 state UP inet 100.96.0.1 rp_filter 2\n",
       "default via 10.250.0.1 dev eth0 proto boot\n"
       "10.250.0.0/17 dev eth0 proto kernel scope link\n"
       "blackhole 100.96.0.0/24 proto 80\n"
       "100.96.1.0/24 via 10.250.128.4 dev tunl0 proto 80 mtu 1480 onlink\n"
       "100.96.2.0/24 via 10.250.0.5 dev eth0 proto 80 onlink\n"},
      {"Calico, BIRD without a tunnel", bird_routes_shoot(), calico_eth0,
       "default via 10.250.0.1 dev eth0 proto boot\n"
       "10.250.0.0/17 dev eth0 proto kernel scope link\n"
       "blackhole 100.96.0.0/24 proto bird\n"
       "100.96.2.0/24 via 10.250.0.5 dev eth0 proto bird\n"},
      {"Calico, VXLAN", vxlan_shoot(),
       "eth0: uplink mtu 1500 state UP inet 10.250.0.4 rp_filter 2\n"
       "vxlan.calico: vxlan id 4096 dstport 4789 lladdr 66:00:00:00:00:00 mtu 1450 state UP "
       "inet 100.96.0.1 rp_filter 2\n",
       "default via 10.250.0.1 dev eth0 proto boot\n"
       "10.250.0.0/17 dev eth0 proto kernel scope link\n"
       "blackhole 100.96.0.0/24 proto 80\n"
       "100.96.1.0/24 via 100.96.1.1 dev vxlan.calico proto 80 mtu 1450 onlink\n"
       "100.96.2.0/24 via 100.96.2.1 dev vxlan.calico proto 80 mtu 1450 onlink\n"},
      {"Cilium, VXLAN", cilium_tunnel_shoot(Encapsulation::Vxlan),
       "cilium_host: loopback mtu 1500 state UP inet 100.96.0.1\n"
       "cilium_vxlan: vxlan id 256 dstport 8472 lladdr 66:00:00:00:00:00 external mtu 1500 "
       "state UP\n"
       "eth0: uplink mtu 1500 state UP inet 10.250.0.4\n",
       "default via 10.250.0.1 dev eth0 proto boot\n"
       "10.250.0.0/17 dev eth0 proto kernel scope link\n"
       "100.96.0.0/24 via 100.96.0.1 dev cilium_host proto kernel\n"
       "100.96.0.1 dev cilium_host proto kernel scope link\n"
       "100.96.1.0/24 encap ip dst 10.250.128.4 dev cilium_vxlan proto kernel scope link mtu 1450\n"
       "100.96.2.0/24 encap ip dst 10.250.0.5 dev cilium_vxlan proto kernel scope link mtu 1450\n"},
      {"Cilium, native", cilium_native_shoot(),
       "cilium_host: loopback mtu 1500 state UP inet 100.96.0.1\n"
       "eth0: uplink mtu 1500 state UP inet 10.250.0.4\n",
       "default via 10.250.0.1 dev eth0 proto boot\n"
       "10.250.0.0/17 dev eth0 proto kernel scope link\n"
       "100.96.0.0/24 via 100.96.0.1 dev cilium_host proto kernel\n"
       "100.96.0.1 dev cilium_host proto kernel scope link\n"},
      {"Calico, WireGuard in place of IPIP", encrypted(ipip_shoot()),
       "eth0: uplink mtu 1500 state UP inet 10.250.0.4 rp_filter 2\n"
       "tunl0: ipip mtu 1440 state UP inet 100.96.0.1 rp_filter 2\n"
       "wireguard.cali: wireguard port 51820 mtu 1440 state UP inet 100.96.0.1 rp_filter 2\n",
       "default via 10.250.0.1 dev eth0 proto boot\n"
       "10.250.0.0/17 dev eth0 proto kernel scope link\n"
       "blackhole 100.96.0.0/24 proto bird\n"
       "100.96.1.0/24 dev wireguard.cali table 1 proto boot scope link\n"
       "100.96.2.0/24 dev wireguard.cali table 1 proto boot scope link\n"},
      {"Cilium, native with WireGuard", encrypted(cilium_native_shoot()),
       "cilium_host: loopback mtu 1500 state UP inet 100.96.0.1\n"
       "cilium_wg0: wireguard port 51871 mtu 1405 state UP\n"
       "eth0: uplink mtu 1500 state UP inet 10.250.0.4\n",
       "default via 10.250.0.1 dev eth0 proto boot\n"
       "10.250.0.0/17 dev eth0 proto kernel scope link\n"
       "100.96.0.0/24 via 100.96.0.1 dev cilium_host proto kernel\n"
       "100.96.0.1 dev cilium_host proto kernel scope link\n"
       "100.96.1.0/24 dev cilium_wg0 proto kernel scope link mtu 1405\n"
       "100.96.2.0/24 dev cilium_wg0 proto kernel scope link mtu 1405\n"},
      {"Cilium, native with direct routes", cilium_direct_routes_shoot(),
       "cilium_host: loopback mtu 1500 state UP inet 100.96.0.1\n"
       "eth0: uplink mtu 1500 state UP inet 10.250.0.4\n",
       "default via 10.250.0.1 dev eth0 proto boot\n"
       "10.250.0.0/17 dev eth0 proto kernel scope link\n"
       "100.96.0.0/24 via 100.96.0.1 dev cilium_host proto kernel\n"
       "100.96.0.1 dev cilium_host proto kernel scope link\n"
       "100.96.2.0/24 via 10.250.0.5 dev eth0 proto kernel\n"},
  };
}

/// Machines with /32 addresses: no peer is a neighbour, so each mode has one kind of route to all.
std::vector<Profile> profiles_of_hosts() {
  using namespace graph::testing;
  const auto gcp = [](EffectiveDataplane shoot) {
    shoot.provider = effective::Provider::Gcp;
    return shoot;
  };
  const std::string uplink =
      "default via 10.250.0.1 dev eth0 proto boot\n"
      "10.250.0.1 dev eth0 proto boot scope link\n";
  const char* const eth0 = "eth0: uplink mtu 1500 state UP inet 10.250.0.4 rp_filter 2\n";
  const char* const tunnel =
      "eth0: uplink mtu 1500 state UP inet 10.250.0.4 rp_filter 2\n"
      "tunl0: ipip mtu 1480 state UP inet 100.96.0.1 rp_filter 2\n";
  static const std::string kNone = uplink;
  static const std::string kBird = uplink +
                                   "blackhole 100.96.0.0/24 proto bird\n"
                                   "unreachable 100.96.1.0/24 proto bird\n"
                                   "unreachable 100.96.2.0/24 proto bird\n";
  static const std::string kIpip = uplink +
                                   "blackhole 100.96.0.0/24 proto bird\n"
                                   "100.96.1.0/24 via 10.250.0.5 dev tunl0 proto bird onlink\n"
                                   "100.96.2.0/24 via 10.250.0.6 dev tunl0 proto bird onlink\n";
  static const std::string kFelix =
      uplink +
      "blackhole 100.96.0.0/24 proto 80\n"
      "100.96.1.0/24 via 10.250.0.5 dev tunl0 proto 80 mtu 1480 onlink\n"
      "100.96.2.0/24 via 10.250.0.6 dev tunl0 proto 80 mtu 1480 onlink\n";
  static const std::string kCilium = uplink +
                                     "100.96.0.0/24 via 100.96.0.1 dev cilium_host proto kernel\n"
                                     "100.96.0.1 dev cilium_host proto kernel scope link\n";
  return {{"Calico, backend none", gcp(routed_shoot()), eth0, kNone.c_str()},
          {"createPodRoutes: BIRD without a tunnel", gcp(bird_routes_shoot()), eth0, kBird.c_str()},
          {"Calico 3.31, IPIP", gcp(ipip_shoot()), tunnel, kIpip.c_str()},
          {"Calico 3.31, CrossSubnet", gcp(cross_subnet_shoot()), tunnel, kIpip.c_str()},
          {"Calico 3.33, CrossSubnet", gcp(by_felix(cross_subnet_shoot())), tunnel, kFelix.c_str()},
          {"Cilium, native with direct routes", gcp(cilium_direct_routes_shoot()),
           "cilium_host: loopback mtu 1500 state UP inet 100.96.0.1\n"
           "eth0: uplink mtu 1500 state UP inet 10.250.0.4\n",
           kCilium.c_str()}};
}

std::string devices(const node::NodeState& state) {
  std::string text;
  for (const node::Device& device : state.devices)
    text += to_string(device) + '\n';
  return text;
}

/// But for the pod's own.
std::string routes(const node::NodeState& state) {
  std::string text;
  for (const node::RouteMatch& match : main_table(state))
    if (match.pod == nullptr) text += to_string(match.destination, match.route) + '\n';
  return text;
}

TEST(Node, HasTheDevicesAndRoutesOfItsProfile) {
  for (const auto& all : {profiles(), profiles_of_hosts()})
    for (const Profile& profile : all) {
      const node::NodeState state = first_node(profile.shoot);
      EXPECT_EQ(devices(state), profile.devices) << profile.name;
      EXPECT_EQ(routes(state), profile.routes) << profile.name;
    }
}

/// A shoot whose pods keep their address towards pods and nodes.
EffectiveDataplane masquerading(EffectiveDataplane shoot) {
  shoot.masquerade = {.sources = shoot.pods,
                      .except = {shoot.pods[0], shoot.nodes[0]},
                      .upstream_dns = {IpPrefix::parse("10.250.0.2/32").value()},
                      .limits_ports = true,
                      .random_ports = shoot.agent == effective::NodeAgent::CalicoNode};
  return shoot;
}

TEST(Node, HasThePacketFilterOfItsProfile) {
  const std::string outgoing =
      "-A cali-nat-outgoing -m set --match-set {100.96.0.0/11} src "
      "-m set ! --match-set {10.250.0.0/16,100.96.0.0/11} dst";
  struct Row {
    EffectiveDataplane shoot;
    std::string rules;
  };
  const Row rows[] = {
      {graph::testing::routed_shoot(), ""},
      {masquerading(graph::testing::routed_shoot()),
       "*nat\n-A POSTROUTING -d 10.250.0.2/32 -j MASQUERADE\n" + outgoing +
           " -p tcp -j MASQUERADE --to-ports 32768-65535 --random-fully\n" + outgoing +
           " -p udp -j MASQUERADE --to-ports 32768-65535 --random-fully\n" + outgoing +
           " -j MASQUERADE --random-fully\n"},
      {graph::testing::ipip_shoot(),
       "*filter\n"
       "-A cali-INPUT -p 4 -m set --match-set {members} src -m addrtype --dst-type LOCAL "
       "-j ACCEPT\n"
       "-A cali-INPUT -p 4 -j DROP\n"
       "*nat\n"
       "-A cali-POSTROUTING -o tunl0 -m addrtype ! --src-type LOCAL --limit-iface-out "
       "-m addrtype --src-type LOCAL -j MASQUERADE\n"},
      {graph::testing::vxlan_shoot(),
       "*raw\n"
       "-A cali-PREROUTING -p udp --dport 4789 -m addrtype --dst-type LOCAL -j NOTRACK\n"
       "-A cali-OUTPUT -p udp --dport 4789 -m addrtype --src-type LOCAL -j NOTRACK\n"
       "*filter\n"
       "-A cali-INPUT -p udp --dport 4789 -m set --match-set {members} src "
       "-m addrtype --dst-type LOCAL -j ACCEPT\n"
       "-A cali-INPUT -p udp --dport 4789 -j DROP\n"
       "*nat\n"
       "-A cali-POSTROUTING -o vxlan.calico -m addrtype ! --src-type LOCAL --limit-iface-out "
       "-m addrtype --src-type LOCAL -j MASQUERADE\n"},
      {graph::testing::cilium_tunnel_shoot(Encapsulation::Vxlan), ""},
  };
  for (const Row& row : rows) {
    const auto state = first_node(row.shoot);
    ASSERT_NE(state.filter, nullptr);
    EXPECT_EQ(to_string(*state.filter), "# connections are tracked\n" + row.rules);
  }
}

TEST(Node, HasBothFamiliesInADualStackShoot) {
  using namespace graph::testing;
  struct Row {
    const char* name;
    EffectiveDataplane shoot;
    const char* ipv6_routes;
  };
  const std::string uplink =
      "default via fd00:10::1 dev eth0 proto boot\n"
      "fd00:10::/64 dev eth0 proto kernel scope link\n";
  for (const Row& row : {
           Row{"backend none", dual_stack(routed_shoot()), ""},
           Row{"BIRD", dual_stack(bird_routes_shoot()),
               "blackhole fd00:96::/64 proto bird\n"
               "fd00:96:0:2::/64 via fd00:10::5 dev eth0 proto bird\n"},
           Row{"Cilium with direct routes", dual_stack(cilium_direct_routes_shoot()),
               "fd00:96::/64 via fd00:96::1 dev cilium_host proto kernel\n"
               "fd00:96::1 dev cilium_host proto kernel scope link\n"
               "fd00:96:0:2::/64 via fd00:10::5 dev eth0 proto kernel\n"},
           Row{"Cilium's VXLAN over IPv4", dual_stack(cilium_tunnel_shoot(Encapsulation::Vxlan)),
               "fd00:96::/64 via fd00:96::1 dev cilium_host proto kernel\n"
               "fd00:96::1 dev cilium_host proto kernel scope link\n"
               "fd00:96:0:1::/64 encap ip dst 10.250.128.4 dev cilium_vxlan proto kernel scope "
               "link mtu 1450\n"
               "fd00:96:0:2::/64 encap ip dst 10.250.0.5 dev cilium_vxlan proto kernel scope "
               "link mtu 1450\n"},
           Row{"the other family first", ipv6_first(dual_stack(bird_routes_shoot())),
               "blackhole fd00:96::/64 proto bird\n"
               "fd00:96:0:2::/64 via fd00:10::5 dev eth0 proto bird\n"},
       }) {
    const node::NodeState state = first_node(row.shoot);
    std::string ipv6;
    for (const node::RouteMatch& match : main_table(state)) {
      if (!match.destination.is_ipv4() && match.pod == nullptr)
        ipv6 += to_string(match.destination, match.route) + '\n';
    }
    EXPECT_EQ(ipv6, uplink + row.ipv6_routes) << row.name;
    EXPECT_EQ(state.find_device("eth0")->address(Family::Ipv6)->to_string(), "fd00:10::4");
    EXPECT_EQ(state.pods.size(), 2u);
  }
}

TEST(Node, HasNoIpv4InAnIpv6OnlyShoot) {
  using namespace graph::testing;
  const auto aws = ipv6_only(dual_stack_on(effective::Provider::Aws, routed_shoot()));
  const node::NodeState state = first_node(aws);
  EXPECT_EQ(devices(state), "eth0: uplink mtu 1500 state UP inet6 2001:db8::4 rp_filter 2\n");
  EXPECT_EQ(routes(state),
            "default via 2001:db8::1 dev eth0 proto boot\n"
            "2001:db8::/64 dev eth0 proto kernel scope link\n");
  ASSERT_EQ(state.pods.size(), 1u);
  EXPECT_EQ(state.pods[0].address.to_string(), "2001:db8::4:0:0:2");
}

TEST(Node, LowersThePodMtuOnRoutesOrDevices) {
  const node::LocalPod cilium =
      first_node(graph::testing::cilium_tunnel_shoot(Encapsulation::Geneve)).pods.front();
  EXPECT_EQ(cilium.mtu, 1500u);
  EXPECT_EQ(cilium.sending_mtu(), 1450u);
  const node::LocalPod calico = first_node(graph::testing::vxlan_shoot()).pods.front();
  EXPECT_EQ(calico.mtu, 1450u);
  EXPECT_EQ(calico.sending_mtu(), 1450u);
}

TEST(Node, SharesClusterTableAndFilter) {
  const auto shoot = graph::testing::ipip_shoot();
  const auto topology = graph::Topology::build({.shoot = &shoot, .nodes = 3});
  const auto states = node_states(*topology, shoot);
  EXPECT_EQ(states[0].cluster, states[2].cluster);
  EXPECT_EQ(states[0].filter, states[2].filter);
}

}  // namespace node_test

}  // namespace overlane::compile
