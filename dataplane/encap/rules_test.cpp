#include <array>
#include <set>

#include <gtest/gtest.h>

#include "dataplane/encap/outer_rules.h"

namespace overlane::encap {
namespace rules_test {

using enum Encapsulation;
constexpr auto kV4 = Family::Ipv4;
constexpr auto kV6 = Family::Ipv6;

TEST(Ecn, OuterFieldCopiesTheInnerOneButCe) {
  EXPECT_EQ(outer_ecn(Ecn::NotEct), Ecn::NotEct);
  EXPECT_EQ(outer_ecn(Ecn::Ect0), Ecn::Ect0);
  EXPECT_EQ(outer_ecn(Ecn::Ect1), Ecn::Ect1);
  EXPECT_EQ(outer_ecn(Ecn::Ce), Ecn::Ect0) << "Linux; RFC 6040 copies CE";
}

TEST(Ecn, InnerFieldAfterDecapsulationFollowsRfc6040) {
  struct Row {
    Ecn inner;
    std::array<std::optional<Ecn>, 4> by_outer;  ///< Not-ECT, ECT(0), ECT(1), CE.
  };
  constexpr auto kDrop = std::nullopt;
  const Row rows[] = {
      {Ecn::NotEct, {Ecn::NotEct, Ecn::NotEct, Ecn::NotEct, kDrop}},
      {Ecn::Ect0, {Ecn::Ect0, Ecn::Ect0, Ecn::Ect1, Ecn::Ce}},
      {Ecn::Ect1, {Ecn::Ect1, Ecn::Ect1, Ecn::Ect1, Ecn::Ce}},
      {Ecn::Ce, {Ecn::Ce, Ecn::Ce, Ecn::Ce, Ecn::Ce}},
  };
  const Ecn outers[] = {Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(inner_ecn(row.inner, outers[i]), row.by_outer[i]) << int(row.inner) << " " << i;
  }
}

TEST(Encapsulations, StandInTheTableInTheirOwnOrderUnderLinuxNames) {
  for (std::size_t i = 0; i < kEncapsulations.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kEncapsulations[i].encapsulation), i);
    EXPECT_EQ(encapsulation_named(kEncapsulations[i].name), kEncapsulations[i].encapsulation);
  }
  EXPECT_EQ(encapsulation_named("gre"), std::nullopt);
}

// Found on a link by Linux's selftest net/pmtu.sh.
TEST(Encapsulations, TakeFromTheMtuWhatLinuxTakes) {
  EXPECT_EQ(overhead(Ipip, kV4), 20u);
  EXPECT_EQ(overhead(Sit, kV4), 20u);
  EXPECT_EQ(overhead(Ip6Tnl, kV6), 48u);
  EXPECT_EQ(overhead(Vxlan, kV4), 50u);
  EXPECT_EQ(overhead(Vxlan, kV6), 70u);
  EXPECT_EQ(overhead(Geneve, kV4), 50u);
  EXPECT_EQ(overhead(Geneve, kV6), 70u);
  EXPECT_EQ(overhead(Vxlan), 50u) << "IPv4 unless one says IPv6";
  EXPECT_EQ(overhead(None, kV6), 0u);
}

TEST(Encapsulations, KnowWhatIsInsideAndOutside) {
  struct Row {
    Encapsulation encapsulation;
    bool ipv4_inside, ipv6_inside, over_ipv4, over_ipv6;
  };
  for (const Row& row : {Row{None, true, true, true, true}, Row{Ipip, true, false, true, false},
                         Row{Sit, false, true, true, false}, Row{Ip6Tnl, true, true, false, true},
                         Row{Vxlan, true, true, true, true}, Row{Geneve, true, true, true, true}}) {
    EXPECT_EQ(carries(row.encapsulation, kV4), row.ipv4_inside) << to_string(row.encapsulation);
    EXPECT_EQ(carries(row.encapsulation, kV6), row.ipv6_inside) << to_string(row.encapsulation);
    EXPECT_EQ(runs_over(row.encapsulation, kV4), row.over_ipv4) << to_string(row.encapsulation);
    EXPECT_EQ(runs_over(row.encapsulation, kV6), row.over_ipv6) << to_string(row.encapsulation);
  }
}

TEST(OuterRules, TtlIsInheritedByTunl0Alone) {
  EXPECT_EQ(outer_ttl(outer_rules(Ipip), 7), 7);
  EXPECT_EQ(outer_ttl(outer_rules(Sit), 7), 64);
  EXPECT_EQ(outer_ttl(outer_rules(Ip6Tnl, kV6), 7), 64);
  EXPECT_EQ(outer_ttl(outer_rules(Vxlan), 7), 64);
  EXPECT_EQ(outer_ttl(outer_rules(Geneve, kV6), 7), 64);
}

TEST(OuterRules, DfIsInheritedByTunl0AloneAndCanBeSet) {
  EXPECT_TRUE(outer_df(outer_rules(Ipip), true));
  EXPECT_FALSE(outer_df(outer_rules(Ipip), false));
  for (const Encapsulation e : {Sit, Vxlan, Geneve})
    EXPECT_FALSE(outer_df(outer_rules(e), true)) << to_string(e);
  OuterRules set = outer_rules(Vxlan);
  set.df = DfRule::Set;
  EXPECT_TRUE(outer_df(set, false));
}

TEST(OuterRules, DscpIsNotInheritedAndEcnIs) {
  for (const Encapsulation e : {Ipip, Sit, Vxlan, Geneve})
    EXPECT_EQ(outer_tos(outer_rules(e), 0xb9), 0x01) << to_string(e);
  OuterRules rules = outer_rules(Vxlan);
  rules.tos = 0x28;
  EXPECT_EQ(outer_tos(rules, 0xb9), 0x29);
  rules.inherits_dscp = true;
  EXPECT_EQ(outer_tos(rules, 0xb9), 0xb9);
  EXPECT_EQ(outer_tos(rules, 0xbb), 0xba) << "but CE goes out as ECT(0)";
}

TEST(OuterRules, OnlyGeneveOverIpv4LeavesTheUdpChecksumZero) {
  EXPECT_EQ(outer_rules(Geneve, kV4).udp_checksum, UdpChecksum::Zero);
  EXPECT_EQ(outer_rules(Geneve, kV6).udp_checksum, UdpChecksum::Computed);
  EXPECT_EQ(outer_rules(Vxlan, kV4).udp_checksum, UdpChecksum::Computed);
  EXPECT_EQ(outer_rules(Vxlan, kV6).udp_checksum, UdpChecksum::Computed);
  EXPECT_EQ(outer_rules(Ipip).udp_checksum, UdpChecksum::None);
}

TEST(OuterRules, ProtocolTellsTheInnerFamilyWhereThereIsNoEthernet) {
  EXPECT_EQ(outer_protocol(Ipip, kV4), 4);
  EXPECT_EQ(outer_protocol(Sit, kV6), 41);
  EXPECT_EQ(outer_protocol(Ip6Tnl, kV4), 4);
  EXPECT_EQ(outer_protocol(Ip6Tnl, kV6), 41);
  EXPECT_EQ(outer_protocol(Vxlan, kV6), 17);
  EXPECT_EQ(outer_protocol(Geneve, kV4), 17);
}

TEST(FlowSourcePort, StaysInItsRangeAndSpreadsFlows) {
  for (const Encapsulation e : {Vxlan, Geneve}) {
    const OuterRules rules = outer_rules(e);
    std::set<std::uint16_t> ports;
    for (std::uint16_t port = 1024; port < 5024; ++port) {
      FlowKey flow;
      flow.source_port = port;
      const std::uint16_t outer = flow_source_port(rules, flow);
      EXPECT_GE(outer, rules.first_source_port);
      EXPECT_LT(outer, rules.last_source_port);
      ports.insert(outer);
    }
    // n balls into k bins hit k(1 - (1 - 1/k)^n) of them on average: 3,728 of 28,231 and 3,880 of
    // 65,534, with deviations of about 15 and 11.
    EXPECT_NEAR(static_cast<double>(ports.size()), e == Vxlan ? 3728 : 3880, 75);
  }
}

TEST(FlowLabel, HasTwentyBits) {
  EXPECT_EQ(flow_label(0xffffffff), 0xfffffu);
  EXPECT_EQ(flow_label(0x12345678), 0x81234u);
}

}  // namespace rules_test
}  // namespace overlane::encap
