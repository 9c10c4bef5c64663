#include "dataplane/node/state/packet_filter.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace overlane::node {
namespace packet_filter_test {

IpAddress ip(const char* text) {
  return IpAddress::parse(text).value();
}
IpPrefix net(const char* text) {
  return IpPrefix::parse(text).value();
}

constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;
constexpr std::uint8_t kIcmp = 1;
constexpr std::uint8_t kIpip = 4;

/// A Gardener shoot with Calico in IPIP mode: node 10.250.0.4, pods 100.96.0.0/11.
PacketFilter shoot() {
  return {
      .tracking = Tracking::Translated,
      .masqueraded_sources = {net("100.96.0.0/11"), net("fd00:96::/48")},
      .unmasqueraded_destinations = {net("100.96.0.0/11"), net("fd00:96::/48")},
      .nat_ports = kGardenerNatPorts,
      .tunnel_devices = {"tunl0"},
      .untracked_udp_ports = {4789},
      .tunnel_guards = {{.protocol = kIpip},
                        {.protocol = kUdp, .udp_port = 4789, .networks = {net("10.250.7.0/24")}}}};
}

Leaving leaving(const char* source, const char* destination, std::uint8_t protocol = kTcp) {
  return {.source = ip(source),
          .destination = ip(destination),
          .protocol = protocol,
          .device = "eth0",
          .device_address = ip(source).is_ipv4() ? ip("10.250.0.4") : ip("2001:db8::4")};
}

TEST(Masquerade, TakesWhatLeavesThePoolsAndNothingElse) {
  struct Row {
    const char* what;
    Leaving packet;
    bool masqueraded;
  };
  const Row rows[] = {
      {"pod to the internet", leaving("100.96.1.10", "198.51.100.1"), true},
      {"pod to pod", leaving("100.96.1.10", "100.96.2.10"), false},
      {"pod to node", leaving("100.96.1.10", "10.250.0.5"), true},
      {"node to the internet", leaving("10.250.0.4", "198.51.100.1"), false},
      {"pod to the internet, IPv6", leaving("fd00:96::a", "2001:db8:1::1"), true},
      {"pod to pod, IPv6", leaving("fd00:96::a", "fd00:96::b"), false},
  };
  for (const Row& row : rows) {
    const auto taken = masquerade(shoot(), row.packet);
    EXPECT_EQ(taken.has_value(), row.masqueraded) << row.what;
    if (!taken) continue;
    EXPECT_EQ(taken->translation.source, *row.packet.device_address) << row.what;
  }
}

TEST(Masquerade, ADisabledPoolWithTheNodesKeepsPodAddressesTowardsThem) {
  PacketFilter filter = shoot();
  filter.unmasqueraded_destinations.push_back(net("10.250.0.0/16"));
  EXPECT_FALSE(masquerade(filter, leaving("100.96.1.10", "10.250.0.5")));
  EXPECT_TRUE(masquerade(filter, leaving("100.96.1.10", "198.51.100.1")));
}

TEST(Masquerade, ThePortRangeIsForTcpAndUdp) {
  struct Row {
    std::uint8_t protocol;
    std::optional<PortRange> ports;
  };
  for (const Row& row :
       {Row{kTcp, kGardenerNatPorts}, Row{kUdp, kGardenerNatPorts}, Row{kIcmp, std::nullopt}}) {
    const auto taken = masquerade(shoot(), leaving("100.96.1.10", "198.51.100.1", row.protocol));
    EXPECT_EQ(taken->translation.ports, row.ports) << int{row.protocol};
    EXPECT_NE(to_string(shoot()).find(masquerade_line(shoot(), taken->rule)), std::string::npos);
    EXPECT_TRUE(taken->translation.random_fully);
  }
}

TEST(Masquerade, ATunnelTakesNoOtherAddressOfTheNode) {
  Leaving packet{.source = ip("10.250.0.4"),
                 .destination = ip("100.96.2.10"),
                 .protocol = kTcp,
                 .device = "tunl0",
                 .device_address = ip("100.96.1.1"),
                 .source_is_local = true};
  EXPECT_EQ(masquerade(shoot(), packet)->translation.source, ip("100.96.1.1"));
  packet.source = ip("100.96.1.1");
  EXPECT_FALSE(masquerade(shoot(), packet)) << "it has the right one already";
  packet.source = ip("100.96.1.10");
  packet.source_is_local = false;
  EXPECT_FALSE(masquerade(shoot(), packet)) << "a pod's address is not the node's";
  packet.source = ip("10.250.0.4");
  packet.source_is_local = true;
  packet.device = "eth0";
  EXPECT_FALSE(masquerade(shoot(), packet)) << "only on tunnels";
}

TEST(Masquerade, UpstreamNameserversSeeTheNode) {
  PacketFilter filter = shoot();
  filter.unmasqueraded_destinations.push_back(net("10.250.0.0/16"));
  const auto packet = leaving("100.96.1.10", "10.250.0.2", kUdp);
  EXPECT_FALSE(masquerade(filter, packet));
  filter.masqueraded_destinations.push_back(net("10.250.0.2/32"));
  const auto taken = masquerade(filter, packet);
  EXPECT_EQ(taken.value().translation, (SourceTranslation{.source = ip("10.250.0.4")}));
  EXPECT_EQ(masquerade_line(filter, taken->rule), "-A POSTROUTING -d 10.250.0.2/32 -j MASQUERADE");
}

TEST(Masquerade, NeedsAnAddressOfTheFamilyOnTheDevice) {
  Leaving packet = leaving("100.96.1.10", "198.51.100.1");
  packet.device_address.reset();
  EXPECT_FALSE(masquerade(shoot(), packet));
  packet.device_address = ip("2001:db8::4");
  EXPECT_FALSE(masquerade(shoot(), packet));
}

TEST(PacketFilter, TunnelsAreTakenFromMembersAndNamedNetworks) {
  const PacketFilter filter = shoot();
  const TunnelGuard* ipip = find_guard(filter, kIpip, 0);
  const TunnelGuard* vxlan = find_guard(filter, kUdp, 4789);
  ASSERT_TRUE(ipip != nullptr && vxlan != nullptr);
  EXPECT_TRUE(admits(*ipip, ip("10.250.0.5"), true));
  EXPECT_FALSE(admits(*ipip, ip("10.250.7.9"), false)) << "a network of the other guard";
  EXPECT_TRUE(admits(*vxlan, ip("10.250.0.5"), true));
  EXPECT_TRUE(admits(*vxlan, ip("10.250.7.9"), false)) << "an external node";
  EXPECT_FALSE(admits(*vxlan, ip("10.250.9.9"), false)) << "another cluster";
  EXPECT_EQ(find_guard(filter, kUdp, 53), nullptr);
  EXPECT_EQ(find_guard(filter, 41, 0), nullptr) << "IPv6 in IPv4, which nobody guards";
  const TunnelGuard closed{.protocol = kIpip, .members = false};
  EXPECT_FALSE(admits(closed, ip("10.250.0.5"), true));
}

TEST(PacketFilter, VxlanIsNotTracked) {
  EXPECT_TRUE(is_untracked(shoot(), kUdp, 4789));
  EXPECT_FALSE(is_untracked(shoot(), kUdp, 4790));
  EXPECT_FALSE(is_untracked(shoot(), kTcp, 4789));
}

TEST(PacketFilter, PrintsMasqueradingInEbpfAsNoChainOfIptables) {
  PacketFilter filter = shoot();
  filter.masquerades_in_ebpf = true;
  const std::string text = to_string(filter);
  EXPECT_EQ(text.find("cali-nat-outgoing"), std::string::npos) << text;
  EXPECT_NE(text.find("bpf masquerade src {100.96.0.0/11,fd00:96::/48} dst not "
                      "{100.96.0.0/11,fd00:96::/48}"),
            std::string::npos)
      << text;
}

TEST(PacketFilter, PrintsAsTheRulesThatMakeIt) {
  PacketFilter filter = shoot();
  filter.masqueraded_destinations.push_back(net("10.250.0.2/32"));
  const std::string pools = "{100.96.0.0/11,fd00:96::/48}";
  const std::string outgoing = "-A cali-nat-outgoing -m set --match-set " + pools +
                               " src -m set ! --match-set " + pools + " dst";
  EXPECT_EQ(to_string(filter),
            "# connections are tracked\n"
            "*raw\n"
            "-A cali-PREROUTING -p udp --dport 4789 -m addrtype --dst-type LOCAL -j NOTRACK\n"
            "-A cali-OUTPUT -p udp --dport 4789 -m addrtype --src-type LOCAL -j NOTRACK\n"
            "*filter\n"
            "-A cali-INPUT -p 4 -m set --match-set {members} src "
            "-m addrtype --dst-type LOCAL -j ACCEPT\n"
            "-A cali-INPUT -p 4 -j DROP\n"
            "-A cali-INPUT -p udp --dport 4789 -m set --match-set {members,10.250.7.0/24} src "
            "-m addrtype --dst-type LOCAL -j ACCEPT\n"
            "-A cali-INPUT -p udp --dport 4789 -j DROP\n"
            "*nat\n"
            "-A POSTROUTING -d 10.250.0.2/32 -j MASQUERADE\n" +
                outgoing + " -p tcp -j MASQUERADE --to-ports 32768-65535 --random-fully\n" +
                outgoing + " -p udp -j MASQUERADE --to-ports 32768-65535 --random-fully\n" +
                outgoing +
                " -j MASQUERADE --random-fully\n"
                "-A cali-POSTROUTING -o tunl0 -m addrtype ! --src-type LOCAL --limit-iface-out "
                "-m addrtype --src-type LOCAL -j MASQUERADE --random-fully\n");
  EXPECT_EQ(to_string(PacketFilter{}), "");
  EXPECT_NE(filter, shoot());
}

}  // namespace packet_filter_test
}  // namespace overlane::node
