#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/witness/testing/cases.h"

namespace overlane::witness {

namespace host_test {

using effective::EffectiveDataplane;
using effective::Provider;
using graph::testing::cilium_native_shoot;
using graph::testing::ipip_shoot;
using graph::testing::routed_shoot;
using ::testing::Contains;
using testing::expect_reason;
using testing::find;
using ::testing::HasSubstr;
using testing::kApart;
using testing::kClouds;
using testing::on;
using testing::overlay_on;
using testing::range;
using testing::Ranges;

struct Beside {
  const char* what;
  Provider provider;
  bool routed;
  NetworkJoin network_relation;
  bool of_shoot;  ///< Else a host's.
  const char* meant;
  const char* lands;
  std::optional<Drop> drop;
};
const char* const kOwnPod = "garden-a/a node-2/pod-0";
const char* const kNode = "garden-n/n node-2";
const char* const kHost = "100.100.0.4 (a host of the network)";
const char* const kFarHost = "100.100.0.4 (a host behind the connection)";

TEST(WitnessHost, NodesAndHostsInPodRangesAreNotReached) {
  const Beside rows[] = {
      {"GCP refuses the route, so the node's pods are cut off", Provider::Gcp, true,
       NetworkJoin::OneRouteTable, true, kOwnPod, "nowhere", Drop::FabricNoRoute},
      {"and with a host's subnet", Provider::Gcp, true, NetworkJoin::OneRouteTable, false, kOwnPod,
       "nowhere", Drop::FabricNoRoute},
      {"AWS takes none inside the VPC's range", Provider::Aws, true, NetworkJoin::OneNetwork, true,
       kOwnPod, "nowhere", Drop::FabricNoRoute},
      {"and with a host of the VPC", Provider::Aws, true, NetworkJoin::OneNetwork, false, kOwnPod,
       "nowhere", Drop::FabricNoRoute},
      {"AWS with a peering takes it", Provider::Aws, true, NetworkJoin::Connected, true, kNode,
       "nowhere", Drop::TtlExpired},
      {"Azure routes it to the pods' node", Provider::Azure, true, NetworkJoin::OneNetwork, true,
       kNode, "nowhere", Drop::TtlExpired},
      {"so does a Neutron router", Provider::OpenStack, true, NetworkJoin::OneRouteTable, true,
       kNode, "nowhere", Drop::TtlExpired},
      {"and Alibaba Cloud", Provider::AliCloud, true, NetworkJoin::OneRouteTable, false, kHost,
       "nowhere", Drop::TtlExpired},
      {"a tunnel takes it to the pods' node", Provider::Aws, false, NetworkJoin::OneNetwork, true,
       kNode, "nowhere", Drop::BlackholeRoute},
      {"on GCP, too", Provider::Gcp, false, NetworkJoin::OneRouteTable, true, kNode, "nowhere",
       Drop::BlackholeRoute},
      {"and before a connection", Provider::OpenStack, false, NetworkJoin::Connected, false,
       kFarHost, "nowhere", Drop::BlackholeRoute},
  };
  for (const Beside& row : rows) {
    SCOPED_TRACE(row.what);
    const auto make = [&](const Ranges& ranges) {
      return row.routed ? on(row.provider, "a", routed_shoot(), ranges)
                        : overlay_on(row.provider, "a", ranges);
    };
    const auto a = make({});
    const auto apart = make({.pods = "10.128.0.0/11"});
    const auto n =
        on(row.provider, "n", routed_shoot(), {.pods = "10.96.0.0/11", .nodes = "100.100.0.0/16"});
    OverlapCase overlap{.a = &a,
                        .b = row.of_shoot ? &n : nullptr,
                        .network_relation = row.network_relation,
                        .a_side = Target::Pod,
                        .b_side = row.of_shoot ? Target::Node : Target::Outside,
                        .intersection = range("100.100.0.0/16")};
    const Witness witness = find(overlap);
    EXPECT_TRUE(witness.wrong);
    EXPECT_EQ(witness.sender, "garden-a/a node-1/pod-0");
    EXPECT_EQ(witness.meant, row.meant);
    EXPECT_EQ(witness.lands, row.lands);
    EXPECT_EQ(witness.drop, row.drop) << witness.because;
    expect_reason(witness);

    overlap.a = &apart;
    const Witness harmless = find(overlap);
    EXPECT_FALSE(harmless.wrong) << harmless.because;
  }
}

TEST(WitnessHost, NodesWithEqualAddressesAcrossAConnectionReachTheirOwn) {
  for (const Provider provider : kClouds) {
    SCOPED_TRACE(to_string(provider));
    const auto a = on(provider, "a", routed_shoot());
    const auto b = on(provider, "b", routed_shoot());
    const auto apart = on(provider, "b", routed_shoot(), kApart);
    OverlapCase overlap{.a = &a,
                        .b = &b,
                        .network_relation = NetworkJoin::Connected,
                        .a_side = Target::Node,
                        .b_side = Target::Node,
                        .intersection = range("10.250.0.0/16")};
    const Witness witness = find(overlap);
    EXPECT_TRUE(witness.wrong);
    EXPECT_EQ(witness.meant, "garden-b/b node-2");
    EXPECT_EQ(witness.lands, "garden-a/a node-2");
    const bool one_subnet = a.has_one_subnet();
    EXPECT_EQ(witness.destination,
              graph::testing::address(one_subnet ? "10.250.0.5" : "10.250.128.4"));

    // One network gives no address twice, and no range.
    overlap.network_relation = NetworkJoin::OneNetwork;
    EXPECT_EQ(find_witness(overlap).error().rule, "unsupported-witness");
    auto other_subnets = b;
    other_subnets.zones = {"a"};
    const char* const zone = one_subnet ? "" : "a";
    other_subnets.node_subnets.given = {{zone, graph::testing::prefix("10.250.64.0/19")}};
    auto subnets = a;
    subnets.zones = {"a"};
    subnets.node_subnets.given = {{zone, graph::testing::prefix("10.250.32.0/19")}};
    overlap.a = &subnets;
    overlap.b = &other_subnets;
    EXPECT_FALSE(find(overlap).wrong);
    overlap = {.a = &a,
               .b = &apart,
               .network_relation = NetworkJoin::Connected,
               .a_side = Target::Node,
               .b_side = Target::Node,
               .intersection = range("10.251.0.0/16")};
    EXPECT_FALSE(find(overlap).wrong);
  }
}

TEST(WitnessHost, ANodeHidesAHostBehindAConnection) {
  const auto a = on(Provider::Aws, "a", routed_shoot());
  const Witness witness = find({.a = &a,
                                .network_relation = NetworkJoin::Connected,
                                .a_side = Target::Node,
                                .b_side = Target::Outside,
                                .intersection = range("10.250.32.0/24")});
  EXPECT_TRUE(witness.wrong);
  EXPECT_EQ(witness.meant, "10.250.32.4 (a host behind the connection)");
  EXPECT_EQ(witness.lands, "garden-a/a node-1");
  EXPECT_THAT(witness.assumptions,
              Contains(HasSubstr("allocated node addresses up to 10.250.32.4")));
}

TEST(WitnessHost, AServiceHidesOtherOwnersOfItsAddress) {
  struct Row {
    const char* what;
    EffectiveDataplane shoot;
    const char* told;
  };
  auto ipvs = routed_shoot();
  ipvs.dataplane.service_routing = effective::ServiceRouting::KubeProxyIpvs;
  const Row rows[] = {
      {"kube-proxy", routed_shoot(), "service tcp 10.251.128.4:443"},
      {"kube-proxy in an overlay", ipip_shoot(), "service tcp 10.251.128.4:443"},
      {"IPVS", ipvs, "service tcp 10.251.128.4:443"},
      {"Cilium, at the socket", cilium_native_shoot(),
       "Cilium (at the pod's socket) sends packets for 10.251.128.4"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    const auto s = on(Provider::Aws, "s", row.shoot, {.services = "10.251.0.0/16"});
    const auto n = on(Provider::Aws, "n", routed_shoot(), kApart);
    OverlapCase overlap{.a = &s,
                        .b = &n,
                        .network_relation = NetworkJoin::OneNetwork,
                        .a_side = Target::Service,
                        .b_side = Target::Node,
                        .intersection = range("10.251.0.0/16")};
    const Witness witness = find(overlap);
    EXPECT_TRUE(witness.wrong);
    EXPECT_EQ(witness.meant, "garden-n/n node-2");
    EXPECT_EQ(witness.lands, "garden-s/s node-2/pod-0");
    EXPECT_EQ(witness.destination, graph::testing::address("10.251.128.4"));
    EXPECT_THAT(witness.because, HasSubstr(row.told));

    overlap.b = nullptr;
    overlap.b_side = Target::Outside;
    EXPECT_EQ(find(overlap).lands, "garden-s/s node-2/pod-0");

    // Services of another shoot are nobody's business.
    overlap.b = &n;
    overlap.b_side = Target::Service;
    EXPECT_FALSE(find(overlap).wrong);
  }
}

TEST(WitnessHost, TheOrderOfTheSidesDoesNotMatter) {
  const auto a = on(Provider::Azure, "a", routed_shoot());
  const auto n =
      on(Provider::Azure, "n", routed_shoot(), {.pods = "10.96.0.0/11", .nodes = "100.100.0.0/16"});
  const IpPrefix both = range("100.100.0.0/16");
  const auto text = [&](const OverlapCase& overlap) { return print(find(overlap)); };
  EXPECT_EQ(text({&a, &n, NetworkJoin::OneNetwork, Target::Pod, Target::Node, both}),
            text({&n, &a, NetworkJoin::OneNetwork, Target::Node, Target::Pod, both}));
}

TEST(WitnessHost, AnOverlayPodReachesItsOwnNode) {
  const auto a = overlay_on(Provider::Aws, "a");
  const auto b = overlay_on(Provider::Aws, "b");
  const Witness witness = find({.a = &a,
                                .b = &b,
                                .network_relation = NetworkJoin::Connected,
                                .a_side = Target::Node,
                                .b_side = Target::Node,
                                .intersection = range("10.250.0.0/16")});
  EXPECT_TRUE(witness.wrong);
  EXPECT_THAT(witness.because, HasSubstr("in the network 10.250.128.4 follows"));
}

/// A pod range of one pod CIDR has no other node that could send; but in one list of routes the
/// pod CIDR's route takes the packets of the nodes in it.
TEST(WitnessHost, ARouteToAPodCidrHidesNodes) {
  const auto a = on(Provider::AliCloud, "a", routed_shoot(), {.pods = "100.100.128.0/24"});
  const auto n = on(Provider::AliCloud, "n", routed_shoot(),
                    {.pods = "10.96.0.0/11", .nodes = "100.100.0.0/16"});
  OverlapCase overlap{.a = &a,
                      .b = &n,
                      .network_relation = NetworkJoin::OneRouteTable,
                      .a_side = Target::Pod,
                      .b_side = Target::Node,
                      .intersection = range("100.100.128.0/24")};
  const Witness witness = find(overlap);
  EXPECT_TRUE(witness.wrong);
  EXPECT_EQ(witness.sender, "garden-n/n node-1");
  EXPECT_EQ(witness.meant, "garden-n/n node-2");
  EXPECT_EQ(witness.drop, Drop::FabricPacketFilter);
  EXPECT_THAT(witness.because, HasSubstr("100.100.128.0/24 -> garden-a/a node-1"));

  overlap.network_relation = NetworkJoin::OneNetwork;
  EXPECT_FALSE(find(overlap).wrong) << "its own tables know no route to a's pods";
}

TEST(WitnessHost, IgnoresOtherOverlaps) {
  for (const Provider provider : kClouds) {
    for (const NetworkJoin network_relation :
         {NetworkJoin::OneRouteTable, NetworkJoin::OneNetwork, NetworkJoin::Connected}) {
      SCOPED_TRACE(to_string(provider));
      const auto a = on(provider, "a", routed_shoot());
      const auto b = on(provider, "b", routed_shoot());
      const Witness witness = find({.a = &a,
                                    .b = &b,
                                    .network_relation = network_relation,
                                    .a_side = Target::Service,
                                    .b_side = Target::Service,
                                    .intersection = range("100.64.0.0/13")});
      EXPECT_FALSE(witness.wrong) << witness.because;
      EXPECT_THAT(witness.assumptions,
                  Contains("garden-a/a's nodes have separate pod CIDRs, from 100.96.2.0/24 "
                           "on"));
    }
  }
}

TEST(WitnessHost, NotesOtherOverlaps) {
  const auto a = on(Provider::Aws, "a", routed_shoot());
  const auto b =
      on(Provider::Aws, "b", routed_shoot(), {.pods = "10.96.0.0/11", .nodes = "100.96.0.0/16"});
  OverlapCase overlap{.a = &a,
                      .b = &b,
                      .network_relation = NetworkJoin::OneNetwork,
                      .a_side = Target::Service,
                      .b_side = Target::Service,
                      .intersection = range("100.64.0.0/13")};
  const auto refused = find_witness(overlap);
  ASSERT_FALSE(refused) << "AWS takes none of a's routes";
  EXPECT_EQ(refused.error().rule, "unsupported-witness");
  overlap.network_relation = NetworkJoin::Connected;
  EXPECT_THAT(find(overlap).assumptions,
              Contains("pods 100.96.0.0/11 of garden-a/a and nodes 100.96.0.0/16 of garden-b/b "
                       "overlap as well"));
}

}  // namespace host_test

}  // namespace overlane::witness
