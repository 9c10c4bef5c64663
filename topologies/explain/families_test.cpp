#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "topologies/derive/testing/outline_differences.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/explain/explanation.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"
#include "topologies/rules/testing/rule_rows.h"

namespace overlane::explain {

using derive::outline;
using derive::StageChoice;
namespace families_test {

using effective::Backend;
using effective::Dataplane;
using effective::EffectiveDataplane;
using effective::Encapsulation;
using effective::Mode;
using effective::RoutesBy;
using manifest::testing::ShootText;

constexpr const char* kDual = "ipFamilies: [IPv4, IPv6]";
constexpr const char* kIpv6 = "ipFamilies: [IPv6]";

/// Expected dataplane of one family.
struct Expected {
  Mode mode;
  Encapsulation encapsulation;
  Backend backend;
  RoutesBy routes_by;
  std::uint32_t pod_mtu;

  bool operator==(const Expected&) const = default;
};

Expected expected(const Dataplane& d) {
  return {d.mode, d.encapsulation, d.backend, d.routes_by, d.pod_mtu};
}

struct FamilyCase {
  const char* what;
  ShootText shoot;
  const char* row;
  Expected primary;
  std::optional<Expected> secondary;
};

using E = Encapsulation;
using B = Backend;
using R = RoutesBy;
constexpr Mode kRouted = Mode::Routed;

const FamilyCase kCases[] = {
    {"D1 dual-stack, overlay off",
     {.provider = "equinix", .config = "{overlay: {enabled: false}}", .networking = kDual},
     "D1",
     {kRouted, E::None, B::None, R::CloudRouteTable, 1500},
     Expected{kRouted, E::None, B::None, R::CloudRouteTable, 1500}},
    {"D1 a new dual-stack shoot on aws: IPv6 by prefix delegation",
     {.provider = "aws", .networking = kDual},
     "D1",
     {kRouted, E::None, B::None, R::CloudRouteTable, 9001},
     Expected{kRouted, E::None, B::None, R::CloudInterface, 9001}},
    {"D1 a new dual-stack shoot on gcp: alias ranges for both",
     {.provider = "gcp", .networking = kDual},
     "D1",
     {kRouted, E::None, B::None, R::CloudInterface, 1460},
     Expected{kRouted, E::None, B::None, R::CloudInterface, 1460}},
    {"D2 dual-stack, overlay on: an IPIP pool without Felix's IPIP",
     {.provider = "equinix", .config = "{overlay: {enabled: true}}", .networking = kDual},
     "D2",
     {Mode::Overlay, E::Ipip, B::Bird, R::Bgp, 1500},
     Expected{kRouted, E::None, B::Bird, R::Bgp, 1500}},
    {"D3 dual-stack without the key",
     {.provider = "equinix", .networking = kDual},
     "D3",
     {kRouted, E::None, B::None, R::CloudRouteTable, 1500},
     Expected{kRouted, E::None, B::None, R::CloudRouteTable, 1500}},
    {"D4 dual-stack with pod routes",
     {.provider = "equinix",
      .config = "{overlay: {enabled: false, createPodRoutes: true}}",
      .networking = kDual},
     "D4",
     {kRouted, E::None, B::Bird, R::Bgp, 1500},
     Expected{kRouted, E::None, B::Bird, R::Bgp, 1500}},
    {"D3 IPv6 only without the key",
     {.provider = "local", .networking = kIpv6},
     "D3",
     {kRouted, E::None, B::None, R::None, 1500},
     std::nullopt},
    {"D1 IPv6 only on aws",
     {.provider = "aws", .networking = kIpv6},
     "D1",
     {kRouted, E::None, B::None, R::CloudInterface, 9001},
     std::nullopt},
    {"D1 WireGuard counts its IPv6 overhead for the veth of both families",
     {.provider = "equinix",
      .config = "{overlay: {enabled: false}, wireguardEncryption: true}",
      .networking = kDual},
     "D1",
     {kRouted, E::None, B::None, R::Felix, 1420},
     Expected{kRouted, E::None, B::None, R::Felix, 1420}},
    {"C1 cilium tunnels both families",
     {.provider = "equinix",
      .type = "cilium",
      .config = "{overlay: {enabled: true}}",
      .networking = kDual},
     "C1",
     {Mode::Overlay, E::Vxlan, B::Tunnel, R::Cilium, 1450},
     Expected{Mode::Overlay, E::Vxlan, B::Tunnel, R::Cilium, 1450}},
    {"C3 cilium natively on aws",
     {.provider = "aws", .type = "cilium", .networking = kDual},
     "C3",
     {kRouted, E::None, B::Native, R::CloudRouteTable, 9001},
     Expected{kRouted, E::None, B::Native, R::CloudInterface, 9001}},
};

void PrintTo(const FamilyCase& row, std::ostream* out) {
  *out << row.what;
}

class FamilyRows : public ::testing::TestWithParam<FamilyCase> {};

TEST_P(FamilyRows, EachFamilyHasItsDataplane) {
  const FamilyCase& row = GetParam();
  const Explanation explanation =
      explain(document::parse(row.shoot.yaml(), "x.yaml"), StageChoice::Auto);
  ASSERT_EQ(explanation.networks.size(), 1u)
      << (explanation.findings.empty() ? "" : explanation.findings[0].to_string());
  const EffectiveDataplane& network = explanation.networks[0];
  EXPECT_EQ(network.row, row.row);
  EXPECT_EQ(expected(network.dataplane), row.primary);
  ASSERT_EQ(network.secondary_dataplane.has_value(), row.secondary.has_value());
  if (row.secondary) {
    EXPECT_EQ(expected(*network.secondary_dataplane), *row.secondary);
  }
  const manifest::ManifestSet set = manifest::decode(document::parse(row.shoot.yaml(), "x.yaml"));
  EXPECT_EQ(derive::testing::differences(outline(set.clusters.at(0), StageChoice::Auto), network),
            "");
}

INSTANTIATE_TEST_SUITE_P(Row, FamilyRows, ::testing::ValuesIn(kCases), [](const auto& row) {
  return rules::testing::row_name(row.param.what, row.index);
});

TEST(Families, EachDualStackRowHasACase) {
  std::set<std::string> rows;
  for (const FamilyCase& row : kCases)
    rows.insert(row.row);
  for (int i = 1; i <= 4; ++i)
    EXPECT_TRUE(rows.contains(fmt::format("D{}", i))) << i;
  fmt::print("{} rows of two families, {} cases\n", rows.size(), std::size(kCases));
}

TEST(Families, TheSecondRangesOfDualStackComeFromTheStatus) {
  const Explanation explanation = explain(
      document::parse(ShootText{.provider = "aws",
                                .config = "{overlay: {enabled: false}}",
                                .networking = "ipFamilies: [IPv4, IPv6]\n    pods: 100.96.0.0/11",
                                .status = "{networking: {pods: [100.96.0.0/11, 'fd00:1::/56'], "
                                          "nodes: [10.250.0.0/16, 'fd00:2::/56']}}"}
                          .yaml(),
                      "x.yaml"),
      StageChoice::Auto);
  ASSERT_EQ(explanation.networks.size(), 1u);
  const EffectiveDataplane& network = explanation.networks[0];
  ASSERT_EQ(network.pods.size(), 2u);
  EXPECT_EQ(network.pods[0].to_string(), "100.96.0.0/11");
  EXPECT_EQ(network.pods[1].to_string(), "fd00:1::/56");
  EXPECT_EQ(network.nodes.size(), 2u);
  EXPECT_EQ(network.max_nodes, 8192) << "only IPv4 counts";
  const auto pods = std::ranges::find(network.reasons, "pods", &effective::Reason::field);
  EXPECT_EQ(pods->because.to_string(),
            "spec.networking.pods says so, and status.networking.pods[1] adds the second range");
}

EffectiveDataplane only(const ShootText& shoot) {
  Explanation explanation = explain(document::parse(shoot.yaml(), "x.yaml"), StageChoice::Auto);
  EXPECT_EQ(explanation.networks.size(), 1u);
  return explanation.networks.empty() ? EffectiveDataplane() : explanation.networks[0];
}

TEST(Families, TheFirstFamilyIsFirstWhateverTheOrderInTheStatus) {
  const EffectiveDataplane network =
      only({.provider = "aws",
            .config = "{overlay: {enabled: false}}",
            .networking = kDual,
            .status = "{networking: {pods: ['fd00:1::/56', 100.80.0.0/12]}}"});
  ASSERT_EQ(network.pods.size(), 2u);
  EXPECT_EQ(network.pods[0].to_string(), "100.80.0.0/12");
}

TEST(Families, GcpKeepsItsAliasRangesWhileTheNodesHaveBothFamilies) {
  for (const auto& [nodes, by] : {std::pair{"10.250.0.0/16, 'fd00:2::/64'", R::CloudInterface},
                                  std::pair{"10.250.0.0/16", R::CloudRouteTable}}) {
    const EffectiveDataplane network =
        only({.provider = "gcp",
              .config = "{overlay: {enabled: false}}",
              .networking = "ipFamilies: [IPv4]",
              .status = fmt::format("{{networking: {{nodes: [{}]}}}}", nodes)});
    EXPECT_EQ(network.dataplane.routes_by, by) << nodes;
  }
}

TEST(Families, AwsGivesEveryNodeOfADualStackShootTheSameMask) {
  const std::string mask = "kubernetes: {kubeControllerManager: {nodeCIDRMaskSize: 22}}";
  const EffectiveDataplane dual =
      only({.provider = "aws",
            .networking = "pods: 100.96.0.0/16\n    " + std::string(kDual),
            .spec = mask});
  EXPECT_EQ(dual.node_cidr_mask_size, 24);
  EXPECT_EQ(dual.max_nodes, 256);
  const EffectiveDataplane single =
      only({.provider = "aws", .networking = "pods: 100.96.0.0/16", .spec = mask});
  EXPECT_EQ(single.node_cidr_mask_size, 22);
  EXPECT_EQ(single.max_nodes, 64);
}

TEST(Families, HowManyNodesFitIsUnknownWithoutPodRanges) {
  const EffectiveDataplane network = only({.provider = "local", .networking = kIpv6});
  EXPECT_EQ(network.max_nodes, std::nullopt);
  const auto reason = std::ranges::find(network.reasons, "max_nodes", &effective::Reason::field);
  ASSERT_NE(reason, network.reasons.end());
  EXPECT_EQ(reason->value, "unknown");
}

TEST(Families, Ipv6PodsAreMasqueradedOnlyWhereASwitchSaysSo) {
  struct Row {
    const char* type;
    const char* config;
    std::size_t sources;  ///< Sources of both families together.
    std::size_t except;
  };
  for (const Row& row : {
           Row{"calico", "{overlay: {enabled: false}}", 1, 2},
           Row{"calico", "{overlay: {enabled: false}, ipv6: {sourceNATEnabled: true}}", 2, 3},
           Row{"cilium", "{overlay: {enabled: false}}", 1, 2},
           Row{"cilium", "{overlay: {enabled: false}, enableIpv6Masquerade: true}", 2, 4},
       }) {
    const ShootText shoot{.provider = "aws",
                          .type = row.type,
                          .config = row.config,
                          .networking =
                              "ipFamilies: [IPv4, IPv6]\n    pods: 100.96.0.0/11\n"
                              "    nodes: 10.250.0.0/16",
                          .status =
                              "{networking: {pods: [100.96.0.0/11, 'fd00:1::/56'], "
                              "nodes: [10.250.0.0/16, 'fd00:1::/56']}}"};
    const Explanation explanation =
        explain(document::parse(shoot.yaml(), "x.yaml"), StageChoice::Auto);
    ASSERT_EQ(explanation.networks.size(), 1u) << row.config;
    const effective::Masquerade& masquerade = explanation.networks[0].masquerade;
    EXPECT_EQ(masquerade.sources.size(), row.sources) << row.config;
    EXPECT_EQ(masquerade.except.size(), row.except) << row.config;
  }
}

TEST(Families, AnIpv6OnlyShootHasNoInventedRanges) {
  const Explanation explanation =
      explain(document::parse(ShootText{.provider = "local", .networking = kIpv6}.yaml(), "x.yaml"),
              StageChoice::Auto);
  ASSERT_EQ(explanation.networks.size(), 1u);
  EXPECT_TRUE(explanation.networks[0].pods.empty());
  EXPECT_EQ(explanation.networks[0].node_cidr_mask_size, 64);
}

TEST(Families, AnIpv6OnlyShootIsNotToldOfIpv4Pools) {
  for (const auto& [type, because] :
       {std::pair{"calico", "only an IPv4 pool has natOutgoing by default"},
        std::pair{"cilium", "only IPv4 is masqueraded by default"}}) {
    const EffectiveDataplane network = only({.provider = "aws", .type = type, .networking = kIpv6});
    const auto reason =
        std::ranges::find(network.reasons, "dataplane.masqueraded", &effective::Reason::field);
    ASSERT_NE(reason, network.reasons.end());
    EXPECT_EQ(reason->value, "none");
    EXPECT_EQ(reason->because, because);
  }
}

}  // namespace families_test
}  // namespace overlane::explain
