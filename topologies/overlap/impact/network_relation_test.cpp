#include "topologies/overlap/impact/network_relation.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace overlane::overlap {
namespace meaning_test {

using effective::Provider;

constexpr Side kRouted{.role = Role::Pods, .carriage = Carriage::Routed};
constexpr Side kOverlay{.role = Role::Pods, .carriage = Carriage::Overlay};
constexpr Side kByNodes{.role = Role::Pods, .carriage = Carriage::NodesAndRoutes};
constexpr Side kBoth{.role = Role::Pods, .carriage = Carriage::OverlayAndRoutes};
constexpr Side kAlias{.role = Role::Pods, .carriage = Carriage::ByInterface};
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
  Meeting meeting;
  const char* rule;  ///< Empty: nothing is to be said.
  Severity severity = Severity::Note;
  Provider provider = Provider::Aws;
};

// gardener facts, "Severity of an overlap by routing domain", row by row.
const Row kRows[] = {
    {"one GCP network, router, system table, BYO table", kRouted, kRouted, Meeting::OneRouteList,
     "overlap-routes-contested", Severity::Error},
    {"the same, one with an overlay", kOverlay, kRouted, Meeting::OneRouteList,
     "overlap-routes-capture-overlay", Severity::Warning},
    {"the same, both with one", kOverlay, kOverlay, Meeting::OneRouteList,
     "overlap-hidden-by-overlay", Severity::Note},
    {"a Neutron router that own pods by-pass: the controllers delete routes all the same", kByNodes,
     kByNodes, Meeting::OneRouteList, "overlap-routes-contested", Severity::Error,
     Provider::OpenStack},
    {"WireGuard on GCP, where no controller deletes another's routes", kByNodes, kByNodes,
     Meeting::OneRouteList, "overlap-routes-contested", Severity::Warning, Provider::Gcp},
    {"the same, one without WireGuard", kByNodes, kRouted, Meeting::OneRouteList,
     "overlap-routes-contested", Severity::Error, Provider::Gcp},
    {"WireGuard, in tables of their own", kByNodes, kRouted, Meeting::OneNetwork,
     "overlap-between-clusters", Severity::Warning},
    {"WireGuard and an overlay", kByNodes, kOverlay, Meeting::OneRouteList,
     "overlap-routes-capture-overlay", Severity::Warning},
    {"Alibaba Cloud's controller writes beside an overlay, too", kBoth, kRouted,
     Meeting::OneRouteList, "overlap-routes-contested", Severity::Error, Provider::AliCloud},
    {"the same, both with one", kBoth, kBoth, Meeting::OneRouteList, "overlap-hidden-by-overlay",
     Severity::Note, Provider::AliCloud},
    {"the same in tables of their own", kBoth, kRouted, Meeting::OneNetwork,
     "overlap-tables-of-their-own", Severity::Note, Provider::AliCloud},
    {"such routes over hosts", kBoth, kNodes, Meeting::OneRouteList, "overlap-routes-over-hosts",
     Severity::Error, Provider::AliCloud},
    {"AWS or Azure, tables of their own", kRouted, kRouted, Meeting::OneNetwork,
     "overlap-between-clusters", Severity::Warning},
    {"the same, one with an overlay", kOverlay, kRouted, Meeting::OneNetwork,
     "overlap-tables-of-their-own", Severity::Note},
    {"the same, both with one", kOverlay, kOverlay, Meeting::OneNetwork,
     "overlap-hidden-by-overlay", Severity::Note},
    {"metal, VRFs that leak routes", kRouted, kRouted, Meeting::ConnectedForPods,
     "overlap-announced-twice", Severity::Error},
    {"the same, one with an overlay", kOverlay, kRouted, Meeting::ConnectedForPods,
     "overlap-routes-capture-overlay", Severity::Warning},
    {"the same, both with one", kOverlay, kOverlay, Meeting::ConnectedForPods,
     "overlap-hidden-by-overlay", Severity::Note},
    {"no routes to pods cross", kRouted, kRouted, Meeting::Connected, "overlap-not-announced",
     Severity::Note},
    {"pods over another shoot's nodes, routed", kRouted, kNodes, Meeting::OneNetwork,
     "overlap-routes-over-hosts", Severity::Error},
    {"the same behind an overlay", kOverlay, kNodes, Meeting::OneRouteList,
     "overlap-pods-hide-hosts", Severity::Warning},
    {"pods over what is on-premises", kRouted, kDeclared, Meeting::Connected,
     "overlap-routes-over-hosts", Severity::Error},
    {"pods over a VPC", kRouted, kVpc, Meeting::OneNetwork, "overlap-routes-over-hosts",
     Severity::Error},
    {"a subnet inside what was said of its VPC, beyond a connection", kRouted, kWithin,
     Meeting::Connected, ""},
    {"services over hosts", kServices, kSubnet, Meeting::OneNetwork, "overlap-services-hide-hosts",
     Severity::Warning},
    {"services over pods", kServices, kRouted, Meeting::OneNetwork, "overlap-services-hide-pods",
     Severity::Note},
    {"services over services", kServices, kServices, Meeting::OneRouteList,
     "overlap-services-repeated", Severity::Note},
    {"two subnets in one network", kSubnet, kSubnet, Meeting::OneNetwork, "overlap-hosts-collide",
     Severity::Error},
    {"nodes that are their own subnet", kNodes, kSubnet, Meeting::OneNetwork,
     "overlap-hosts-collide", Severity::Error},
    {"nodes that are only a frame", kFrame, kFrame, Meeting::OneNetwork, "overlap-nodes-divided",
     Severity::Note},
    {"a subnet in another shoot's frame", kFrame, kSubnet, Meeting::OneNetwork, ""},
    {"nodes in their VPC", kNodes, kVpc, Meeting::OneNetwork, ""},
    {"nodes in what is declared of their network", kNodes, kDeclared, Meeting::OneNetwork, ""},
    {"a VPC and what is on-premises", kVpc, kDeclared, Meeting::Connected,
     "overlap-hosts-beyond-connection", Severity::Error},
    {"alias ranges are a subnet's", kAlias, kAlias, Meeting::OneRouteList, "overlap-hosts-collide",
     Severity::Error},
    {"routes over alias ranges", kRouted, kAlias, Meeting::OneRouteList,
     "overlap-routes-over-hosts", Severity::Error},
};

TEST(Meaning, IsThatOfTheFactsRowByRow) {
  for (const Row& row : kRows) {
    const auto meaning = meaning_of(row.a, row.b, {row.meeting, true, true}, row.provider);
    ASSERT_EQ(meaning.has_value(), *row.rule != '\0') << row.because;
    if (!meaning) continue;
    EXPECT_EQ(meaning->rule->id, row.rule) << row.because;
    EXPECT_EQ(meaning->severity, row.severity) << row.because;
  }
}

std::vector<Side> all_sides() {
  std::vector<Side> sides;
  for (const Role role :
       {Role::Pods, Role::Nodes, Role::Services, Role::Vpc, Role::Subnet, Role::Declared})
    for (const Carriage carriage :
         {Carriage::None, Carriage::Overlay, Carriage::OverlayAndRoutes, Carriage::Routed,
          Carriage::NodesAndRoutes, Carriage::ByInterface}) {
      if ((role == Role::Pods) == (carriage == Carriage::None)) continue;
      for (int bits = 0; bits < 8; ++bits)
        sides.push_back({role, carriage, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0});
    }
  return sides;
}

constexpr Relation kRelations[] = {
    {Meeting::OneRouteList, true, true},    {Meeting::OneRouteList, false, true},
    {Meeting::OneNetwork, true, true},      {Meeting::OneRouteList, false, false},
    {Meeting::OneNetwork, false, false},    {Meeting::Connected, true, true},
    {Meeting::ConnectedForPods, true, true}};

TEST(Meaning, DoesNotDependOnTheOrderAndWeighsLessWhereSomethingIsNotKnown) {
  std::size_t told = 0;
  for (const Relation& relation : kRelations)
    for (const Side& a : all_sides())
      for (const Side& b : all_sides()) {
        const Provider provider = told % 2 == 0 ? Provider::Gcp : Provider::AliCloud;
        const auto meaning = meaning_of(a, b, relation, provider);
        EXPECT_EQ(meaning, meaning_of(b, a, relation, provider));
        if (!meaning) continue;
        ++told;
        EXPECT_LE(meaning->severity, meaning->rule->severity);
        const bool is_known = !a.assumed && !b.assumed && meaning->sure;
        EXPECT_LE(meaning->severity, is_known ? Severity::Error : Severity::Warning);
        EXPECT_TRUE(meaning->sure || !relation.sure);
      }
  EXPECT_GT(told, 1000u);
}

TEST(Meaning, OfWhatIsTheSameInTablesOfTheirOwnIsSureWhereTheNetworkIs) {
  const Relation tables{Meeting::OneRouteList, false, true};
  EXPECT_FALSE(meaning_of(kRouted, kRouted, tables, Provider::Aws)->sure);
  EXPECT_TRUE(meaning_of(kServices, kServices, tables, Provider::Aws)->sure);
  EXPECT_FALSE(
      meaning_of(kServices, kServices, {Meeting::OneRouteList, false, false}, Provider::Aws)->sure);
}

}  // namespace meaning_test
}  // namespace overlane::overlap
