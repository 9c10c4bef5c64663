#include "topologies/overlap/impact/network_relation.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace overlane::overlap {
namespace meaning_test {

using effective::Provider;

constexpr Side kRouted{.role = Role::Pods, .dataplane_mode = DataplaneMode::Routed};
constexpr Side kOverlay{.role = Role::Pods, .dataplane_mode = DataplaneMode::Overlay};
constexpr Side kByNodes{.role = Role::Pods, .dataplane_mode = DataplaneMode::NodesAndRoutes};
constexpr Side kBoth{.role = Role::Pods, .dataplane_mode = DataplaneMode::OverlayAndRoutes};
constexpr Side kAlias{.role = Role::Pods, .dataplane_mode = DataplaneMode::ByInterface};
constexpr Side kWithoutRoutes{
    .role = Role::Pods, .dataplane_mode = DataplaneMode::Routed, .routes_missing = true};
constexpr Side kServices{.role = Role::Services};
constexpr Side kNodes{.role = Role::Nodes};
constexpr Side kFrame{.role = Role::Nodes, .inner = false};
constexpr Side kSubnet{.role = Role::Subnet};
constexpr Side kVpc{.role = Role::Vpc, .inner = false};
constexpr Side kDeclared{.role = Role::Declared};
constexpr Side kWithin{.role = Role::Subnet, .outer = false};

struct Row {
  const char* because;
  Side a;
  Side b;
  NetworkRelation network_relation;
  const char* rule;  ///< Empty: nothing is to be said.
  Severity severity = Severity::Note;
  Provider provider = Provider::Aws;
};

// gardener facts, "Severity of an overlap by routing domain", row by row.
const Row kRows[] = {
    {"one GCP network, router, system table, BYO table", kRouted, kRouted,
     NetworkRelation::OneRouteTable, "overlap-routes-contested", Severity::Error},
    {"the same, while nothing writes the routes of one", kRouted, kWithoutRoutes,
     NetworkRelation::OneRouteTable, "overlap-routes-contested", Severity::Warning},
    {"hosts in a range to which nothing writes routes", kWithoutRoutes, kNodes,
     NetworkRelation::OneRouteTable, "overlap-routes-over-hosts", Severity::Warning},
    {"one GCP network, one with an overlay", kOverlay, kRouted, NetworkRelation::OneRouteTable,
     "overlap-routes-capture-overlay", Severity::Warning},
    {"the same, both with one", kOverlay, kOverlay, NetworkRelation::OneRouteTable,
     "overlap-hidden-by-overlay", Severity::Note},
    {"a Neutron router that own pods by-pass: the controllers delete routes all the same", kByNodes,
     kByNodes, NetworkRelation::OneRouteTable, "overlap-routes-contested", Severity::Error,
     Provider::OpenStack},
    {"WireGuard on GCP, where no controller deletes another's routes", kByNodes, kByNodes,
     NetworkRelation::OneRouteTable, "overlap-routes-contested", Severity::Warning, Provider::Gcp},
    {"the same, one without WireGuard", kByNodes, kRouted, NetworkRelation::OneRouteTable,
     "overlap-routes-contested", Severity::Error, Provider::Gcp},
    {"WireGuard, in tables of their own", kByNodes, kRouted, NetworkRelation::OneNetwork,
     "overlap-between-clusters", Severity::Warning},
    {"WireGuard and an overlay", kByNodes, kOverlay, NetworkRelation::OneRouteTable,
     "overlap-routes-capture-overlay", Severity::Warning},
    {"Alibaba Cloud's controller writes beside an overlay, too", kBoth, kRouted,
     NetworkRelation::OneRouteTable, "overlap-routes-contested", Severity::Error,
     Provider::AliCloud},
    {"the same, both with one", kBoth, kBoth, NetworkRelation::OneRouteTable,
     "overlap-hidden-by-overlay", Severity::Note, Provider::AliCloud},
    {"the same in tables of their own", kBoth, kRouted, NetworkRelation::OneNetwork,
     "overlap-tables-of-their-own", Severity::Note, Provider::AliCloud},
    {"such routes over hosts", kBoth, kNodes, NetworkRelation::OneRouteTable,
     "overlap-routes-over-hosts", Severity::Error, Provider::AliCloud},
    {"AWS or Azure, tables of their own", kRouted, kRouted, NetworkRelation::OneNetwork,
     "overlap-between-clusters", Severity::Warning},
    {"the same, one with an overlay", kOverlay, kRouted, NetworkRelation::OneNetwork,
     "overlap-tables-of-their-own", Severity::Note},
    {"the same, both with one", kOverlay, kOverlay, NetworkRelation::OneNetwork,
     "overlap-hidden-by-overlay", Severity::Note},
    {"metal, VRFs that leak routes", kRouted, kRouted, NetworkRelation::ConnectedForPods,
     "overlap-announced-twice", Severity::Error},
    {"the same, one with an overlay", kOverlay, kRouted, NetworkRelation::ConnectedForPods,
     "overlap-routes-capture-overlay", Severity::Warning},
    {"the same, both with one", kOverlay, kOverlay, NetworkRelation::ConnectedForPods,
     "overlap-hidden-by-overlay", Severity::Note},
    {"no routes to pods cross", kRouted, kRouted, NetworkRelation::Connected,
     "overlap-not-announced", Severity::Note},
    {"pods over another shoot's nodes, routed", kRouted, kNodes, NetworkRelation::OneNetwork,
     "overlap-routes-over-hosts", Severity::Error},
    {"the same behind an overlay", kOverlay, kNodes, NetworkRelation::OneRouteTable,
     "overlap-pods-hide-hosts", Severity::Warning},
    {"pods over what is on-premises", kRouted, kDeclared, NetworkRelation::Connected,
     "overlap-routes-over-hosts", Severity::Error},
    {"pods over a VPC", kRouted, kVpc, NetworkRelation::OneNetwork, "overlap-routes-over-hosts",
     Severity::Error},
    {"a subnet inside what was said of its VPC, beyond a connection", kRouted, kWithin,
     NetworkRelation::Connected, ""},
    {"services over hosts", kServices, kSubnet, NetworkRelation::OneNetwork,
     "overlap-services-hide-hosts", Severity::Warning},
    {"services over pods", kServices, kRouted, NetworkRelation::OneNetwork,
     "overlap-services-hide-pods", Severity::Note},
    {"services over services", kServices, kServices, NetworkRelation::OneRouteTable,
     "overlap-services-repeated", Severity::Note},
    {"two subnets in one network", kSubnet, kSubnet, NetworkRelation::OneNetwork,
     "overlap-hosts-collide", Severity::Error},
    {"nodes that are their own subnet", kNodes, kSubnet, NetworkRelation::OneNetwork,
     "overlap-hosts-collide", Severity::Error},
    {"nodes that are only a frame", kFrame, kFrame, NetworkRelation::OneNetwork,
     "overlap-nodes-divided", Severity::Note},
    {"a subnet in another shoot's frame", kFrame, kSubnet, NetworkRelation::OneNetwork, ""},
    {"nodes in their VPC", kNodes, kVpc, NetworkRelation::OneNetwork, ""},
    {"nodes in what is declared of their network", kNodes, kDeclared, NetworkRelation::OneNetwork,
     ""},
    {"a VPC and what is on-premises", kVpc, kDeclared, NetworkRelation::Connected,
     "overlap-hosts-beyond-connection", Severity::Error},
    {"alias ranges are a subnet's", kAlias, kAlias, NetworkRelation::OneRouteTable,
     "overlap-hosts-collide", Severity::Error},
    {"routes over alias ranges", kRouted, kAlias, NetworkRelation::OneRouteTable,
     "overlap-routes-over-hosts", Severity::Error},
};

TEST(Impact, IsThatOfTheFactsRowByRow) {
  for (const Row& row : kRows) {
    const auto impact = impact_of(row.a, row.b, {row.network_relation, true, true}, row.provider);
    ASSERT_EQ(impact.has_value(), *row.rule != '\0') << row.because;
    if (!impact) continue;
    EXPECT_EQ(impact->rule->id, row.rule) << row.because;
    EXPECT_EQ(impact->severity, row.severity) << row.because;
  }
}

std::vector<Side> all_sides() {
  std::vector<Side> sides;
  for (const Role role :
       {Role::Pods, Role::Nodes, Role::Services, Role::Vpc, Role::Subnet, Role::Declared})
    for (const DataplaneMode dataplane_mode :
         {DataplaneMode::None, DataplaneMode::Overlay, DataplaneMode::OverlayAndRoutes,
          DataplaneMode::Routed, DataplaneMode::NodesAndRoutes, DataplaneMode::ByInterface}) {
      if ((role == Role::Pods) == (dataplane_mode == DataplaneMode::None)) continue;
      for (int bits = 0; bits < 8; ++bits)
        sides.push_back({role, dataplane_mode, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
    }
  return sides;
}

constexpr Relation kRelations[] = {
    {NetworkRelation::OneRouteTable, true, true},   {NetworkRelation::OneRouteTable, false, true},
    {NetworkRelation::OneNetwork, true, true},      {NetworkRelation::OneRouteTable, false, false},
    {NetworkRelation::OneNetwork, false, false},    {NetworkRelation::Connected, true, true},
    {NetworkRelation::ConnectedForPods, true, true}};

TEST(Impact, IsSymmetricAndLessSevereWithAssumptions) {
  std::size_t told = 0;
  for (const Relation& relation : kRelations)
    for (const Side& a : all_sides())
      for (const Side& b : all_sides()) {
        const Provider provider = told % 2 == 0 ? Provider::Gcp : Provider::AliCloud;
        const auto impact = impact_of(a, b, relation, provider);
        EXPECT_EQ(impact, impact_of(b, a, relation, provider));
        if (!impact) continue;
        ++told;
        EXPECT_LE(impact->severity, impact->rule->severity);
        const bool is_known = !a.assumed && !b.assumed && impact->sure;
        EXPECT_LE(impact->severity, is_known ? Severity::Error : Severity::Warning);
        EXPECT_TRUE(impact->sure || !relation.sure);
      }
  EXPECT_GT(told, 1000u);
}

TEST(Impact, IsSureIfTheTableDoesNotMatter) {
  const Relation tables{NetworkRelation::OneRouteTable, false, true};
  EXPECT_FALSE(impact_of(kRouted, kRouted, tables, Provider::Aws)->sure);
  EXPECT_TRUE(impact_of(kServices, kServices, tables, Provider::Aws)->sure);
  EXPECT_FALSE(
      impact_of(kServices, kServices, {NetworkRelation::OneRouteTable, false, false}, Provider::Aws)
          ->sure);
}

}  // namespace meaning_test
}  // namespace overlane::overlap
