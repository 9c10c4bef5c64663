#include "topologies/overlap/pairs/impact.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/report/report.h"
#include "topologies/overlap/testing/landscapes.h"

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

namespace consequence_test {

using effective::Provider;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<Relation> all_relations() {
  std::vector<Relation> relations;
  for (const NetworkRelation network_relation :
       {NetworkRelation::OneRouteTable, NetworkRelation::OneNetwork, NetworkRelation::Connected,
        NetworkRelation::ConnectedForPods}) {
    relations.push_back({network_relation, true, true});
    relations.push_back({network_relation, false, true});
    relations.push_back({network_relation, false, false});
  }
  return relations;
}

TEST(Consequence, ExistsForEveryRuleAndProvider) {
  for (const rules::Rule& rule : rules()) {
    EXPECT_NE(fault(rule), "") << rule.id;
    if (!rule.id.starts_with("overlap-")) continue;
    EXPECT_EQ(std::string(fault(rule)) + '.', rule.title) << rule.id;
    for (const Provider provider :
         {Provider::Aws, Provider::Gcp, Provider::Azure, Provider::OpenStack, Provider::AliCloud,
          Provider::Metal, Provider::Local, Provider::Other})
      for (const Relation& relation : all_relations()) {
        const std::string text = consequence({&rule, rule.severity, relation.sure}, relation,
                                             provider, {"ONE"}, {"TWO"});
        EXPECT_NE(text, "") << rule.id;
        EXPECT_THAT(text, Not(HasSubstr("{"))) << rule.id;
      }
  }
}

TEST(Consequence, SaysWhoseTrafficIsAffected) {
  struct Said {
    const char* rule;
    Provider provider;
    RangeOwner a;
    RangeOwner b;
    const char* said;
  };
  const RangeOwner routed{"ONE", Role::Pods, DataplaneMode::Routed};
  const RangeOwner by_nodes{"TWO", Role::Pods, DataplaneMode::NodesAndRoutes};
  const RangeOwner overlay{"TWO", Role::Pods, DataplaneMode::Overlay};
  const Said rows[] = {
      {"overlap-routes-contested",
       Provider::OpenStack,
       routed,
       {"TWO", Role::Pods, DataplaneMode::Routed},
       "packets for pods of ONE and TWO are lost in turn"},
      {"overlap-routes-contested",
       Provider::Aws,
       routed,
       {"TWO", Role::Pods, DataplaneMode::Routed, true},
       "no routes to pods of TWO now (overlane explain says why); once they are written, both"},
      {"overlap-between-clusters",
       Provider::Aws,
       {"ONE", Role::Pods, DataplaneMode::Routed, true},
       {"TWO", Role::Pods, DataplaneMode::Routed, true},
       "no routes to pods of ONE or TWO now (overlane explain says why); once they are written, "
       "each of ONE and TWO works by itself"},
      {"overlap-routes-contested", Provider::OpenStack, by_nodes, by_nodes,
       "except packets between pods of one shoot"},
      {"overlap-routes-contested", Provider::Aws, routed, by_nodes,
       "except packets between pods of TWO"},
      {"overlap-routes-contested",
       Provider::AliCloud,
       {"TWO", Role::Pods, DataplaneMode::OverlayAndRoutes},
       routed,
       "except packets between pods of TWO"},
      {"overlap-routes-capture-overlay", Provider::Gcp, routed, overlay,
       "its pods do not reach those of ONE, and replies to pods of TWO"},
      {"overlap-routes-capture-overlay", Provider::Gcp, overlay, routed,
       "its pods do not reach those of ONE, and replies to pods of TWO"},
      {"overlap-routes-over-hosts",
       Provider::Aws,
       {"TWO", Role::Nodes},
       routed,
       "nodes of ONE whose pod CIDR lies in addresses of TWO"},
      {"overlap-hosts-collide",
       Provider::Gcp,
       {"ONE", Role::Pods, DataplaneMode::ByInterface},
       {"TWO", Role::Pods, DataplaneMode::ByInterface},
       "a secondary one for pods"},
  };
  for (const Said& row : rows)
    EXPECT_THAT(consequence({&rule(row.rule)}, {NetworkRelation::OneRouteTable}, row.provider,
                            row.a, row.b),
                HasSubstr(row.said));
}

}  // namespace consequence_test

namespace latent_test {

using testing::LocatedShoots;
using testing::node;
using testing::ShootText;

ShootText shoot(const std::string& name, const std::string& provider, const std::string& pods,
                const std::string& nodes, int minimum) {
  const std::string networks = provider == "gcp" ? "vpc: {name: n}" : "router: {id: r}";
  return {.name = name,
          .provider = provider,
          .networks = networks + ", workers: " + nodes,
          .pods = pods,
          .nodes = nodes,
          .credentials = "main",
          .minimum = minimum,
          .maximum = 9};
}

struct Row {
  const char* because;
  std::string provider;
  std::string pods_a;
  std::string pods_b;
  int minimum;
  std::string nodes;
  std::uint64_t until_nodes;
  std::uint64_t until_creations;
  Urgency urgency;
};

const Row kRows[] = {
    {"both allocate the same first pod CIDRs", "gcp", "100.96.0.0/11", "100.96.0.0/11", 1, "", 0, 0,
     Urgency::Now},
    {"b's first pod CIDR is a's 129th", "gcp", "10.0.0.0/16", "10.0.128.0/17", 3, "", 126, 126,
     Urgency::Later},
    {"nobody has a node yet: one each", "gcp", "10.0.0.0/16", "10.0.0.0/17", 0, "", 2, 2,
     Urgency::Later},
    {"a's allocator has come to 127 by replacing nodes", "gcp", "10.0.0.0/16", "10.0.128.0/17", 1,
     node("shoot--dev--a-w-1", 1, "10.250.0.5", "10.0.0.0/24") +
         node("shoot--dev--a-w-2", 2, "10.250.0.6", "10.0.126.0/24"),
     127, 2, Urgency::Later},
    {"a router's controllers delete each other's routes before pod CIDRs meet", "openstack",
     "10.0.0.0/16", "10.0.128.0/17", 3, "", 126, 126, Urgency::Now},
};

TEST(NextConflict, CountsTheNodesUntilPodCidrsOverlap) {
  for (const Row& row : kRows) {
    const LocatedShoots located(
        testing::texts({shoot("a", row.provider, row.pods_a, "10.250.0.0/24", row.minimum),
                        shoot("b", row.provider, row.pods_b, "10.250.1.0/24", row.minimum)},
                       row.nodes));
    const OverlapReport report = located.report();
    const auto found = std::ranges::find(report.overlaps, "pods-pods", &Overlap::kind);
    ASSERT_NE(found, report.overlaps.end()) << row.because;
    EXPECT_EQ(found->nodes_until_conflict, row.until_nodes) << row.because;
    EXPECT_EQ(found->creations_until_conflict, row.until_creations) << row.because;
    EXPECT_EQ(found->urgency, row.urgency) << row.because;
    EXPECT_EQ(found->impact.severity, Severity::Error) << row.because;
  }
}

struct Sleep {
  const char* because;
  std::string provider;
  std::string kind;
  std::string spec;
  std::string status;
  std::string nodes_a;
  std::string nodes_b;
  Urgency urgency;
  std::optional<std::uint64_t> until_creations;
};

const Sleep kSleeps[] = {
    {"its first node is the one that collides", "gcp", "pods-pods", "hibernation: {enabled: true}",
     "hibernated: true", "10.250.0.0/24", "10.250.1.0/24", Urgency::Later, 1},
    {"neither does its route controller run", "openstack", "pods-pods", "", "hibernated: true",
     "10.250.0.0/24", "10.250.1.0/24", Urgency::Later, 1},
    {"an older dump has no status", "gcp", "pods-pods", "hibernation: {enabled: true}", "",
     "10.250.0.0/24", "10.250.1.0/24", Urgency::Later, 1},
    {"it still falls asleep", "gcp", "pods-pods", "hibernation: {enabled: true}",
     "hibernated: false", "10.250.0.0/24", "10.250.1.0/24", Urgency::Now, 0},
    {"it wakes up", "gcp", "pods-pods", "hibernation: {enabled: false}", "hibernated: true",
     "10.250.0.0/24", "10.250.1.0/24", Urgency::Now, 0},
    {"its subnet stays, and the cloud makes no other over it", "gcp", "nodes-nodes", "",
     "hibernated: true", "10.250.0.0/24", "10.250.0.0/24", Urgency::Now, std::nullopt},
    {"gcp refuses routes inside a subnet without machines", "gcp", "pods-nodes", "",
     "hibernated: true", "10.0.0.0/24", "10.250.1.0/24", Urgency::Now, 0},
    {"on openstack they find nobody to hurt", "openstack", "pods-nodes", "", "hibernated: true",
     "10.0.0.0/24", "10.250.1.0/24", Urgency::Later, 0},
};

TEST(NextConflict, OfAHibernatedShootStartsWhenItWakesUp) {
  for (const Sleep& row : kSleeps) {
    ShootText a = shoot("a", row.provider, "10.0.0.0/16", row.nodes_a, 3);
    if (row.kind == "pods-nodes") a.pods = "10.1.0.0/16";
    a.spec = row.spec;
    a.status = row.status;
    const LocatedShoots located(
        testing::texts({a, shoot("b", row.provider, "10.0.0.0/16", row.nodes_b, 3)},
                       node("shoot--dev--a-w-1", 1, "10.250.0.5", "10.0.0.0/24")));
    const OverlapReport report = located.report();
    const auto found = std::ranges::find(report.overlaps, row.kind, &Overlap::kind);
    ASSERT_NE(found, report.overlaps.end()) << row.because;
    EXPECT_EQ(found->urgency, row.urgency) << row.because;
    EXPECT_EQ(found->creations_until_conflict, row.until_creations) << row.because;
    EXPECT_EQ(found->a.waking_nodes.has_value(), found->a.nodes == 0) << row.because;
    EXPECT_EQ(until_text(*found).find(
                  "garden-dev/a is hibernated: no nodes until it wakes up, then at least 3") !=
                  std::string::npos,
              row.urgency == Urgency::Later)
        << row.because << ": " << until_text(*found);
  }
}

TEST(NextConflict, AttributesNodesByNameOrAddress) {
  const LocatedShoots located(testing::texts(
      {shoot("a", "gcp", "10.0.0.0/16", "10.250.0.0/24", 1),
       shoot("b", "gcp", "10.1.0.0/16", "10.250.1.0/24", 1)},
      node("shoot--dev--a-w-1", 1, "10.250.9.9", "10.0.7.0/24") +
          node("ip-2", 2, "10.250.9.9", "10.0.8.0/24", "gce://p/z/shoot--dev--a-w-2") +
          node("ip-3", 3, "10.250.1.3", "10.1.9.0/24") +
          node("ip-4", 4, "10.250.9.9", "10.1.9.0/24") +
          node("ip-5", 5, "10.250.1.5}, {type: InternalIP, address: 'fd00::5'", "10.1.5.0/24")));
  EXPECT_THAT(located.shoot("a").pod_cidrs, ::testing::ElementsAre(testing::prefix("10.0.7.0/24"),
                                                                   testing::prefix("10.0.8.0/24")));
  EXPECT_THAT(located.shoot("b").pod_cidrs, ::testing::ElementsAre(testing::prefix("10.1.9.0/24"),
                                                                   testing::prefix("10.1.5.0/24")));
  ASSERT_EQ(located.inventory.findings.size(), 1u);
  EXPECT_EQ(located.inventory.findings[0].rule, "node-of-no-shoot");
  EXPECT_EQ(located.inventory.findings[0].object.name, "ip-4");
}

TEST(NextConflict, CountsNodesOnceInOrderOfCreation) {
  const std::string first = node("shoot--dev--a-w-1", 1, "10.250.0.5", "10.0.9.0/24");
  const std::string low = node("shoot--dev--a-w-2", 2, "10.250.0.6", "10.0.3.0/24");
  const std::string high = node("shoot--dev--a-w-3", 2, "10.250.0.7", "10.0.4.0/24");
  for (const std::string& nodes : {first + low + high + low, high + low + first}) {
    const LocatedShoots located(
        testing::texts({shoot("a", "gcp", "10.0.0.0/16", "10.250.0.0/24", 1)}, nodes));
    EXPECT_THAT(
        located.shoot("a").pod_cidrs,
        ::testing::ElementsAre(testing::prefix("10.0.9.0/24"), testing::prefix("10.0.3.0/24"),
                               testing::prefix("10.0.4.0/24")));
  }
}

TEST(NextConflict, CountsADualStackNodeOnce) {
  const std::string pod_cidrs = "10.0.0.0/24, podCIDRs: [10.0.0.0/24, 'fd00::/64']";
  const auto a = [&](const std::string& families) {
    ShootText text = shoot("a", "openstack", "10.0.0.0/16", "10.250.0.0/24", 1);
    text.families = families;
    return text;
  };
  const LocatedShoots located(
      testing::texts({a("IPv4, IPv6"), shoot("b", "openstack", "10.0.0.0/16", "10.250.1.0/24", 1)},
                     node("shoot--dev--a-w-1", 1, "10.250.0.5", pod_cidrs)));
  EXPECT_EQ(located.shoot("a").pod_cidrs.size(), 2u);
  const OverlapReport report = located.report();
  const auto found = std::ranges::find(report.overlaps, "pods-pods", &Overlap::kind);
  ASSERT_NE(found, report.overlaps.end());
  EXPECT_EQ(found->growth, 16u) << "each may have 9 nodes and has 1";
}

}  // namespace latent_test

namespace inside_test {

using ::testing::UnorderedElementsAreArray;

/// "error overlap-in-shoot pods services"; `reserved` is declared.
std::vector<std::string> found_in(const testing::ShootText& text, const std::string& others) {
  const Inventory inventory = testing::read(testing::texts({text}, others));
  std::vector<std::string> found;
  compare_own_ranges(inventory.shoots.at(0), reserved_ranges(inventory),
                     [&](const SelfOverlap& pair) {
                       EXPECT_EQ(pair.is_own, pair.owner.empty());
                       EXPECT_TRUE(pair.own.cidr.overlaps(pair.other.cidr));
                       found.push_back(fmt::format("{} {} {} {}", to_string(pair.impact.severity),
                                                   pair.impact.rule->id, to_string(pair.own.role),
                                                   to_string(pair.other.role)));
                     });
  return found;
}

struct Row {
  const char* because;
  testing::ShootText shoot;
  std::vector<std::string> found;
  std::string others = "";
};

TEST(SelfOverlap, FindsOverlapsWithinAShoot) {
  const std::string seed =
      "---\napiVersion: core.gardener.cloud/v1beta1\nkind: Seed\nmetadata: {name: s}\nspec: "
      "{networks: {pods: 100.96.0.0/11, services: 100.64.0.0/13, nodes: 10.1.0.0/16}}\n";
  const std::string seed6 =
      "---\napiVersion: core.gardener.cloud/v1beta1\nkind: Seed\nmetadata: {name: s}\nspec: "
      "{networks: {pods: 'fd00:1::/48', services: 'fd00:2::/112', ipFamilies: [IPv6]}}\n";
  const Row rows[] = {
      {"ranges of their own", {}, {}},
      {"IPv4, which admission compares",
       {.services = "100.97.0.0/16"},
       {"error overlap-in-shoot pods services"}},
      {"subnets that admission compares, too: one of them is enough",
       {.provider = "aws",
        .networks = "vpc: {id: v}, zones: [{name: z, workers: 10.250.0.0/20, internal: "
                    "10.251.0.0/24, public: 10.251.1.0/24}]",
        .pods = "10.250.0.0/15",
        .nodes = "10.250.0.0/20"},
       {"error overlap-in-shoot pods nodes"}},
      {"an internal subnet, which Gardener does not compare on openstack",
       {.provider = "openstack", .networks = "workers: 100.97.0.0/24", .nodes = "10.0.0.0/8"},
       {"error overlap-in-shoot pods subnet"}},
      {"a range that no document gives",
       {.pods = "", .services = "100.97.0.0/16"},
       {"warning overlap-in-shoot pods services"}},
      {"nodes, which openstack does not compare; their subnet only repeats it",
       {.provider = "openstack", .networks = "workers: 100.97.0.0/24", .nodes = "100.97.0.0/16"},
       {"error overlap-in-shoot pods nodes"}},
      {"a subnet lies in its nodes and these in their VPC",
       {.provider = "aws",
        .networks = "vpc: {cidr: 10.250.0.0/15}, zones: [{name: z, workers: 10.250.1.0/24}]"},
       {}},
      {"IPv6, which Gardener does not compare",
       {.provider = "local",
        .pods = "'fd00::/48'",
        .services = "'fd00::/112'",
        .nodes = "",
        .families = "IPv6"},
       {"warning overlap-in-shoot pods services"}},
      {"alias ranges are the subnet's",
       {.pods = "10.250.0.0/17",
        .families = "IPv4, IPv6",
        .status = "networking: {nodes: ['10.250.0.0/16', '2001:db8::/64']}"},
       {}},
      {"IPv4 ranges of the seed, which the VPN maps",
       {.spec = "seedName: s"},
       {"note overlap-with-seed pods seed-pods", "note overlap-with-seed services seed-services"},
       seed},
      {"IPv6 ranges of the seed",
       {.provider = "local",
        .pods = "'fd00:1::/48'",
        .services = "'fd00:3::/112'",
        .nodes = "",
        .families = "IPv6",
        .spec = "seedName: s"},
       {"error overlap-with-seed-ipv6 pods seed-pods"},
       seed6},
      {"what the VPN uses",
       {.pods = "244.0.0.0/16"},
       {"error overlap-gardener-reserved pods reserved"}},
      {"what the operator keeps",
       {.nodes = "10.42.7.0/24"},
       {"warning overlap-landscape-reserved nodes reserved"},
       testing::routing_domains("reserved: [{cidr: 10.42.0.0/15}]")},
      {"a subnet in it, which only repeats it",
       {.networks = "workers: 10.42.7.0/25", .nodes = "10.42.7.0/24"},
       {"warning overlap-landscape-reserved nodes reserved"},
       testing::routing_domains("reserved: [{cidr: 10.42.0.0/15}]")},
      {"Alibaba Cloud's name servers, inside Gardener's usual pods",
       {.provider = "alicloud"},
       {"warning overlap-cloud-services pods reserved"}},
      {"pods beside them", {.provider = "alicloud", .pods = "100.104.0.0/13"}, {}},
      {"services there hurt only who has such an address",
       {.provider = "alicloud", .pods = "10.0.0.0/11", .services = "100.96.0.0/13"},
       {}},
      {"another cloud has no services at these addresses", {.provider = "aws"}, {}},
  };
  for (const Row& row : rows)
    EXPECT_THAT(found_in(row.shoot, row.others), UnorderedElementsAreArray(row.found))
        << row.because;
}

/// The consequence of the first pair.
std::string consequence_of(const testing::ShootText& text) {
  const Inventory inventory = testing::read(text.yaml());
  const Shoot& shoot = inventory.shoots.at(0);
  std::string told;
  compare_own_ranges(shoot, reserved_ranges(inventory), [&](const SelfOverlap& pair) {
    if (told.empty()) told = consequence(shoot, pair);
  });
  return told;
}

TEST(SelfOverlap, NamesTheRuleByWhichGardenerRefuses) {
  const std::string meets =
      "on the shoot's nodes an address in both ranges has one meaning only: pods, nodes or "
      "Services there "
      "cannot be reached";
  EXPECT_EQ(consequence_of({.services = "100.97.0.0/16", .live = false}),
            "Gardener refuses garden-dev/a (ranges-overlap)");
  EXPECT_EQ(consequence_of({.services = "100.97.0.0/16"}),
            "Gardener refuses every update of garden-dev/a (ranges-overlap), and " + meets);
  EXPECT_EQ(consequence_of({.provider = "aws",
                            .networks = "vpc: {id: v}, zones: [{name: z, public: 100.97.0.0/24}]",
                            .live = false}),
            "Gardener refuses garden-dev/a (ranges-overlap-subnets)");
  EXPECT_EQ(consequence_of({.provider = "openstack", .networks = "workers: 100.97.0.0/24"}), meets)
      << "which its validator does not compare";
}

}  // namespace inside_test

}  // namespace overlane::overlap
