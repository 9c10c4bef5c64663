#include "topologies/witness/witness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "topologies/witness/testing/cases.h"

namespace overlane::witness {

namespace witness_test {

using effective::EffectiveDataplane;
using effective::Provider;
using graph::testing::routed_shoot;
using ::testing::Contains;
using testing::expect_reason;
using testing::find;
using ::testing::HasSubstr;
using testing::kApart;
using testing::kClouds;
using testing::on;
using testing::overlay_on;
using testing::pods;
using testing::range;
using testing::Ranges;

TEST(Witness, InOneRouteTableARoutedShootLosesItsPods) {
  struct Row {
    Provider provider;
    const char* lands;
    std::optional<Drop> drop;
    const char* shared;
  };
  constexpr const char* kOther = "garden-b/b node-2/pod-0";
  // Only the security groups of AWS ask whose interface it was.
  const Row rows[] = {
      {Provider::Aws, "nowhere", Drop::FabricPacketFilter, "garden-b/b reconciled last"},
      {Provider::Gcp, kOther, {}, "hash takes that of garden-b/b"},
      {Provider::Azure, kOther, {}, "garden-b/b reconciled last"},
      {Provider::OpenStack, kOther, {}, "as black holes"},
      {Provider::AliCloud, kOther, {}, "stands once in the table"},
      {Provider::Metal, kOther, {}, "announce"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(to_string(row.provider));
    const auto a = on(row.provider, "a", routed_shoot());
    const auto b = on(row.provider, "b", routed_shoot());
    const Witness witness = find(pods(a, b, NetworkJoin::OneRouteTable));
    EXPECT_TRUE(witness.wrong);
    EXPECT_EQ(witness.sender, "garden-a/a node-1/pod-0");
    EXPECT_EQ(witness.source, graph::testing::address("100.96.0.2"));
    EXPECT_EQ(witness.destination, graph::testing::address("100.96.1.2"));
    EXPECT_EQ(witness.meant, "garden-a/a node-2/pod-0");
    EXPECT_EQ(witness.lands, row.lands);
    EXPECT_EQ(witness.drop, row.drop);
    EXPECT_THAT(witness.because,
                HasSubstr("100.96.1.0/24 -> garden-b/b node-2 (route controller)"));
    EXPECT_THAT(witness.assumptions, Contains(HasSubstr(row.shared)));
    expect_reason(witness);
  }
}

TEST(Witness, WithoutOverlapOrWithATunnelPodsArrive) {
  for (const Provider provider : kClouds) {
    SCOPED_TRACE(to_string(provider));
    const auto a = on(provider, "a", routed_shoot());
    const auto apart = on(provider, "b", routed_shoot(), kApart);
    const auto overlay = overlay_on(provider, "o");
    const auto overlays = overlay_on(provider, "p");
    for (const OverlapCase& overlap : {pods(a, apart, NetworkJoin::OneRouteTable, "10.96.0.0/11"),
                                       pods(overlay, overlays, NetworkJoin::OneRouteTable)}) {
      const Witness witness = find(overlap);
      EXPECT_FALSE(witness.wrong) << witness.because;
      EXPECT_EQ(witness.lands, witness.meant);
      expect_reason(witness);
    }
  }
}

TEST(Witness, WithTablesOfTheirOwnOnlyPacketsBetweenTheShootsGoWrong) {
  for (const Provider provider : {Provider::Aws, Provider::Azure, Provider::AliCloud}) {
    SCOPED_TRACE(to_string(provider));
    const auto a = on(provider, "a", routed_shoot());
    const auto b = on(provider, "b", routed_shoot());
    const Witness witness = find(pods(a, b, NetworkJoin::OneNetwork));
    EXPECT_TRUE(witness.wrong);
    EXPECT_EQ(witness.meant, "garden-b/b node-2/pod-0");
    EXPECT_EQ(witness.lands, "garden-a/a node-2/pod-0");
    EXPECT_THAT(witness.because, HasSubstr("100.96.1.0/24 -> garden-a/a node-2"));
    expect_reason(witness);

    const auto apart = on(provider, "b", routed_shoot(), kApart);
    const Witness harmless = find(pods(a, apart, NetworkJoin::OneNetwork, "10.96.0.0/11"));
    EXPECT_FALSE(harmless.wrong) << harmless.because << " between shoots";
    const auto overlay = overlay_on(provider, "o");
    EXPECT_FALSE(find(pods(a, overlay, NetworkJoin::OneNetwork)).wrong);
  }
}

TEST(Witness, AConnectionAffectsPodsOnlyWithPodRoutes) {
  for (const Provider provider : kClouds) {
    SCOPED_TRACE(to_string(provider));
    const auto a = on(provider, "a", routed_shoot());
    const auto b = on(provider, "b", routed_shoot());
    const auto apart = on(provider, "b", routed_shoot(), kApart);
    EXPECT_FALSE(find(pods(a, b, NetworkJoin::Connected)).wrong);
    const Witness witness = find(pods(a, b, NetworkJoin::Connected, "100.96.0.0/11", true));
    EXPECT_TRUE(witness.wrong);
    EXPECT_EQ(witness.lands, "garden-a/a node-2/pod-0");
    EXPECT_FALSE(find(pods(a, apart, NetworkJoin::Connected, "10.96.0.0/11", true)).wrong);
  }
}

TEST(Witness, EachNetworkOfAConnectionKeepsItsFirewallAndItsOwnPods) {
  const auto azure = on(Provider::Azure, "a", routed_shoot());
  auto gcp = on(Provider::Gcp, "g", routed_shoot(), {.nodes = "10.251.0.0/16"});
  gcp.node_cidr_mask_size = 26;
  for (const Witness& witness : {find(pods(azure, gcp, NetworkJoin::Connected)),
                                 find(pods(gcp, azure, NetworkJoin::Connected))})
    EXPECT_FALSE(witness.wrong) << witness.because;
  // Longer prefixes of the other's pods take none of a shoot's own.
  const Witness witness = find(pods(azure, gcp, NetworkJoin::Connected, "100.96.0.0/11", true));
  EXPECT_EQ(witness.meant, "garden-g/g node-2/pod-0");
  EXPECT_EQ(witness.lands, "garden-a/a node-1/pod-0");
}

/// Answers to a pod that is not masqueraded follow the routed shoot's routes.
TEST(Witness, ARoutedShootCatchesAnswersToAnOverlaysPodsThatAreNotMasqueraded) {
  for (const Provider provider : {Provider::Aws, Provider::Gcp, Provider::AliCloud}) {
    SCOPED_TRACE(to_string(provider));
    const auto a = on(provider, "a", routed_shoot());
    auto overlay = overlay_on(provider, "o");
    EXPECT_FALSE(find(pods(a, overlay, NetworkJoin::OneNetwork)).wrong);
    overlay.masquerade = {};
    const Witness witness = find(pods(a, overlay, NetworkJoin::OneNetwork));
    EXPECT_TRUE(witness.wrong);
    EXPECT_EQ(witness.sender, "garden-a/a node-1");
    EXPECT_EQ(witness.meant, "garden-o/o node-2/pod-0");
    EXPECT_EQ(witness.lands, "garden-a/a node-2/pod-0");
  }
}

TEST(Witness, AllocatesPodCidrsInTheIntersection) {
  struct Row {
    const char* what;
    const char* pods;  ///< The pod range of b.
    std::uint8_t mask;
    const char* meant;
    const char* destination;
    const char* assumed;
  };
  const Row rows[] = {
      {"a part of the range", "100.96.64.0/18", 24, "garden-a/a node-2/pod-0", "100.96.65.2",
       "garden-a/a has allocated pod CIDRs up to 100.96.65.0/24"},
      {"one pod CIDR alone", "100.127.255.0/24", 24, "garden-a/a node-2/pod-0", "100.127.255.2",
       "garden-a/a has allocated pod CIDRs up to 100.127.255.0/24"},
      {"smaller pod CIDRs", "100.96.64.0/18", 26, "garden-a/a node-2/pod-0", "100.96.64.66",
       "garden-a/a has allocated pod CIDRs up to 100.96.64.0/24"},
      {"larger pod CIDRs, which lose against the longer prefix", "100.96.64.0/18", 22,
       "garden-b/b node-1/pod-0", "100.96.65.2",
       "garden-a/a has allocated pod CIDRs up to 100.96.64.0/24"},
      {"less than a pod CIDR", "100.96.7.128/25", 26, "garden-a/a node-2/pod-0", "100.96.7.194",
       "garden-a/a has allocated pod CIDRs up to 100.96.7.0/24"},
  };
  const auto a = on(Provider::Gcp, "a", routed_shoot());
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    auto b = on(Provider::Gcp, "b", routed_shoot(), {.pods = row.pods, .nodes = "10.251.0.0/16"});
    b.node_cidr_mask_size = row.mask;
    const Witness witness = find(pods(a, b, NetworkJoin::OneRouteTable, row.pods));
    EXPECT_EQ(witness.meant, row.meant);
    EXPECT_EQ(witness.destination.to_string(), row.destination);
    EXPECT_THAT(witness.assumptions, Contains(row.assumed));
    EXPECT_TRUE(witness.wrong) << witness.because;
  }
}

TEST(Witness, Ipv6PodsGoTheSameWay) {
  const auto make = [](const char* name, Provider provider, bool only) {
    auto shoot = graph::testing::dual_stack(routed_shoot());
    if (only) shoot = graph::testing::ipv6_only(shoot);
    shoot.provider = provider;
    shoot.name = name;
    shoot.namespace_ = std::string("garden-") + name;
    return shoot;
  };
  for (const Provider provider : {Provider::Metal, Provider::OpenStack}) {
    for (const bool only : {false, true}) {
      const auto a = make("a", provider, only);
      const auto b = make("b", provider, only);
      const Witness witness = find(pods(a, b, NetworkJoin::OneRouteTable, "fd00:96::/48"));
      EXPECT_TRUE(witness.wrong);
      EXPECT_EQ(witness.destination.to_string(), "fd00:96:0:1::2");
      EXPECT_EQ(witness.lands, "garden-b/b node-2/pod-0");
      EXPECT_THAT(witness.because, HasSubstr("fd00:96:0:1::/64 -> garden-b/b node-2"));
    }
  }
}

TEST(Witness, AFamilyWithoutRangesIsLeftOut) {
  const auto make = [](const char* name) {
    auto shoot = graph::testing::dual_stack(on(Provider::OpenStack, name, routed_shoot()));
    shoot.provider = Provider::OpenStack;
    shoot.pods.pop_back();
    return shoot;
  };
  const auto a = make("a");
  const auto b = make("b");
  EXPECT_EQ(find(pods(a, b, NetworkJoin::OneRouteTable)).lands, "garden-b/b node-2/pod-0");
  const auto refused = find_witness(pods(a, b, NetworkJoin::OneRouteTable, "fd00:96::/48"));
  EXPECT_EQ(refused.error().rule, "impossible-topology");
}

TEST(Witness, RefusesUnknownStates) {
  const auto a = on(Provider::Aws, "a", routed_shoot());
  auto opaque = on(Provider::Aws, "b", routed_shoot());
  opaque.opaque = true;
  auto azure = graph::testing::dual_stack(on(Provider::Azure, "c", routed_shoot()));
  azure.provider = Provider::Azure;
  auto gcp = graph::testing::dual_stack_on(Provider::Gcp, routed_shoot());
  auto other = gcp;
  other.name = "other";
  auto unknown = a;
  unknown.nodes.clear();
  auto tiny = on(Provider::Aws, "t", routed_shoot());
  tiny.max_pods = 8;
  tiny.node_cidr_mask_size = 28;
  const auto refusal = [&](const EffectiveDataplane& one, const EffectiveDataplane& two,
                           const char* text) {
    return find_witness(pods(one, two, NetworkJoin::OneRouteTable, text)).error().rule;
  };
  EXPECT_EQ(refusal(a, opaque, "100.96.0.0/11"), "unsupported-witness");
  EXPECT_EQ(refusal(opaque, a, "100.96.0.0/11"), "unsupported-witness");
  EXPECT_EQ(refusal(a, a, "100.96.0.0/11"), "unsupported-witness") << "one shoot";
  EXPECT_EQ(refusal(a, tiny, "fd00::/64"), "unsupported-witness") << "no IPv6";
  EXPECT_EQ(refusal(azure, azure, "fd00:96::/48"), "unsupported-witness");
  EXPECT_EQ(refusal(a, unknown, "100.96.0.0/11"), "impossible-topology");
  EXPECT_EQ(refusal(gcp, other, "100.96.0.0/11"), "unsupported-witness")
      << "alias ranges are given once";
  EXPECT_EQ(refusal(a, tiny, "100.96.0.15/32"), "unsupported-witness") << "no pod has it";
  EXPECT_EQ(refusal(on(Provider::Azure, "i", graph::testing::ipip_shoot()),
                    on(Provider::Azure, "r", routed_shoot()), "100.96.0.0/11"),
            "unsupported-witness")
      << "Azure carries no IP in IP";
  auto second = azure;
  second.name = "second";
  EXPECT_EQ(refusal(azure, second, "100.96.0.0/11"), "unsupported-ip-family");
}

}  // namespace witness_test

namespace witness_text_test {

using effective::Provider;
using graph::testing::routed_shoot;
using testing::find;
using ::testing::HasSubstr;
using testing::on;
using testing::overlay_on;
using testing::pods;

TEST(WitnessText, DistinguishesShootsOfOneName) {
  const auto a = on(Provider::Gcp, "a", routed_shoot());
  const auto same = a;
  EXPECT_EQ(find(pods(a, same, NetworkJoin::OneRouteTable)).lands, "garden-a/a (2) node-2/pod-0");
}

TEST(WitnessText, IsWrittenAsJson) {
  const auto a = on(Provider::Aws, "a", routed_shoot());
  const auto b = on(Provider::Aws, "b", routed_shoot());
  const auto json = encode(find(pods(a, b, NetworkJoin::OneRouteTable)));
  EXPECT_EQ(json["sender"], "garden-a/a node-1/pod-0");
  EXPECT_EQ(json["source"], "100.96.0.2");
  EXPECT_EQ(json["destination"], "100.96.1.2");
  EXPECT_EQ(json["port"], 80);
  EXPECT_EQ(json["meant"], "garden-a/a node-2/pod-0");
  EXPECT_EQ(json["lands"], "nowhere");
  EXPECT_EQ(json["drop"], "fabric-packet-filter");
  EXPECT_EQ(json["wrong"], true);
  EXPECT_EQ(json["hops"].back()["gate"], "filter");
  EXPECT_FALSE(json["assumptions"].empty());
}

TEST(WitnessText, HasSentences) {
  const auto a = on(Provider::Aws, "a", routed_shoot());
  const auto b = on(Provider::Aws, "b", routed_shoot());
  const auto c = overlay_on(Provider::Aws, "c");
  EXPECT_EQ(
      print(find(pods(a, b, NetworkJoin::OneRouteTable))),
      "garden-a/a node-1/pod-0 (100.96.0.2) sends TCP to 100.96.1.2 port 80 and means "
      "garden-a/a node-2/pod-0.\n"
      "It is lost (fabric-packet-filter): in the network 100.96.1.2 follows \"table routes: "
      "100.96.1.0/24 -> garden-b/b node-2 (route controller)\"; the network drops it: a security "
      "group or firewall rule refused it (\"group b-nodes\").\n"
      "  assumed: garden-a/a's nodes have separate addresses, from 10.250.0.6 on\n"
      "  assumed: the route controller of garden-b/b reconciled last: inside its own pod range "
      "it removes unknown routes, until the other one reconciles\n");
  EXPECT_THAT(print(find(pods(a, b, NetworkJoin::OneNetwork))),
              HasSubstr("It lands at garden-a/a node-2/pod-0: in the network 100.96.1.2 follows"));
  EXPECT_THAT(print(find(pods(c, b, NetworkJoin::OneNetwork))),
              HasSubstr("It reaches garden-c/c node-2/pod-0: in garden-c/c node-1 100.96.1.2 "
                        "follows \"100.96.1.0/24 via"));
}

}  // namespace witness_text_test

}  // namespace overlane::witness
