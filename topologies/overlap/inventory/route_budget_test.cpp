#include "topologies/overlap/inventory/route_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {

namespace budget_test {

using ::testing::HasSubstr;
using testing::LocatedShoots;
using testing::ShootText;

struct Row {
  const char* because;
  ShootText a;
  ShootText b;
  std::string others;
  std::size_t lists;
  std::int64_t minimum;  ///< Minimum of the fullest list.
  std::int64_t maximum;
  std::int64_t quota;
  const char* rule;  ///< Empty: it suffices.
  Severity severity = Severity::Warning;
};

ShootText shoot(const std::string& provider, const std::string& networks, int minimum,
                int maximum) {
  return {.provider = provider,
          .networks = networks,
          .pods = minimum % 2 == 0 ? "10.0.0.0/11" : "10.32.0.0/11",
          .credentials = "main",
          .minimum = minimum,
          .maximum = maximum};
}

const ShootText kGcp = shoot("gcp", "vpc: {name: n}", 100, 180);
const ShootText kOwnTable = shoot("aws", "vpc: {id: v}", 40, 60);
const ShootText kBrought =
    shoot("aws", "vpc: {id: v}, zones: [{name: z, workersSubnetID: s}]", 300, 400);

std::string quota(const std::string& of_network) {
  return testing::routing_domains(
      "projects: [{name: p, provider: gcp, credentials: [garden-dev/main]}], networks: [{provider: "
      "gcp, network: n, project: p, " +
      of_network + "}]");
}

ShootText with_overlay(ShootText text) {
  text.overlay = true;
  return text;
}

ShootText hibernated(ShootText text) {
  text.status = "hibernated: true";
  return text;
}

const Row kRows[] = {
    {"a GCP network holds the routes of all, and its default route", kGcp, kGcp, "", 1, 201, 361,
     300, "domain-route-quota-by-maximum"},
    {"a declared quota is known for sure", kGcp, kGcp, quota("routeQuota: 150"), 1, 201, 361, 150,
     "domain-route-quota-by-minimum", Severity::Error},
    {"a name without its project may be another network's", kGcp, kGcp,
     testing::routing_domains("networks: [{provider: gcp, network: n, routeQuota: 150}]"), 1, 201,
     361, 150, "domain-route-quota-by-minimum"},
    {"a network may be declared by its name and by a shoot", kGcp, kGcp,
     testing::routing_domains(
         "projects: [{name: p, provider: gcp, credentials: [garden-dev/main]}], networks: [{shoot: "
         "garden-dev/a, otherRoutes: 20}, {provider: gcp, network: n, project: p, routeQuota: "
         "150}]"),
     1, 220, 380, 150, "domain-route-quota-by-minimum", Severity::Error},
    {"declared routes stand instead of the usual ones", kGcp, kGcp,
     quota("routeQuota: 400, otherRoutes: 20"), 1, 220, 380, 400, ""},
    {"foreign routes add to the declared ones", kGcp, kGcp,
     quota("routeQuota: 400, otherRoutes: 20, foreignRoutes: [{destination: 10.99.0.0/24}, "
           "{destination: 10.99.1.0/24}]"),
     1, 222, 382, 400, ""},
    {"and to the usual ones", kGcp, kGcp,
     quota("routeQuota: 400, foreignRoutes: [{destination: 10.99.0.0/24}]"), 1, 202, 362, 400, ""},
    {"an overlay needs no routes on GCP", kGcp, with_overlay(kGcp), "", 1, 101, 181, 300, ""},
    {"a hibernated shoot has no nodes until it wakes up", kGcp, hibernated(kGcp), "", 1, 101, 361,
     300, "domain-route-quota-by-maximum"},
    {"on alicloud it gets them all the same", shoot("alicloud", "vpc: {id: v}", 2, 4),
     with_overlay(shoot("alicloud", "vpc: {id: v}", 3, 5)), "", 1, 5, 9, 0, ""},
    {"tables that Gardener makes hold one shoot's", kOwnTable, kOwnTable, "", 2, 42, 62, 500, ""},
    {"a subnet's table holds all that are in it", kBrought, kBrought, "", 1, 602, 802, 500,
     "domain-route-quota-by-minimum"},
};

TEST(Budget, AddsUpTheRoutesOfATable) {
  for (Row row : kRows) {
    row.a.name = "a";
    row.b.name = "b";
    const LocatedShoots located(testing::texts({row.a, row.b}, row.others));
    const auto budgets = route_budgets(located.inventory, located.routing_scopes);
    ASSERT_EQ(budgets.size(), row.lists) << row.because;
    const RouteBudget& fullest = budgets[0];
    EXPECT_EQ(fullest.minimum, row.minimum) << row.because;
    EXPECT_EQ(fullest.maximum, row.maximum) << row.because;
    EXPECT_EQ(fullest.quota.value_or(0), row.quota) << row.because;
    ASSERT_EQ(fullest.finding != nullptr, *row.rule != '\0') << row.because;
    if (!fullest.finding) continue;
    EXPECT_EQ(fullest.finding->rule, row.rule) << row.because;
    EXPECT_EQ(fullest.finding->severity, row.severity) << row.because;
  }
}

struct Told {
  const char* because;
  std::string text;
  std::string message;
  std::string hint;
};

ShootText not_created(ShootText text) {
  text.name = "b";
  text.live = false;
  return text;
}

TEST(Budget, NamesTheNeedTheQuotaAndThePlaceThatSetsIt) {
  const std::string set =
      "--set landscape.route-quota.gcp=N or routeQuota in a RoutingDomains file";
  const Told rows[] = {
      {"a declared quota is changed where it is declared, and nowhere else",
       testing::texts({kGcp}, quota("routeQuota: 90, otherRoutes: 12")),
       "gcp/n: the VPC network needs 112 routes: 100 for the minimum of nodes of "
       "garden-dev/a, 12 others, but its quota is 90 (as its routeQuota declares)",
       "request a higher quota and change the network's routeQuota at x.yaml:5:89, or "
       "give some of the shoots an overlay"},
      {"one that is declared by a name may be another network's",
       testing::texts({kGcp},
                      testing::routing_domains("networks: [{provider: gcp, network: n, routeQuota: "
                                               "90, otherRoutes: 0}]")),
       "gcp/n: the VPC network needs 100 routes for the minimum of nodes of "
       "garden-dev/a, but its quota is 90 (as its routeQuota declares, if the declaration means "
       "this network)",
       "request a higher quota and change the network's routeQuota at x.yaml:5:19, or give some of "
       "the shoots an overlay"},
      {"documents disagree about the default; a shoot exists only as a manifest",
       testing::texts({kGcp, not_created(kGcp)}),
       "gcp/n: the VPC network needs up to 361 routes: 360 for the maximum of nodes of 2 shoots (1 "
       "of which is not created yet), 1 other, but its quota is 300 "
       "(gardener-extension-provider-gcp issue 558; gardener-extension-provider-gcp "
       "docs/usage/ipv6.md: 200)",
       "look up the network's quota and set it with " + set +
           "; if it is too small, request a higher one, lower the workers' maximum, or give some "
           "of the "
           "shoots an overlay"},
      {"on alicloud an overlay spares no route",
       testing::texts(
           {shoot("alicloud", "vpc: {id: v}", 2, 4)},
           testing::routing_domains("networks: [{provider: alicloud, network: v, routeQuota: 3}]")),
       "alicloud/v: the route table needs up to 4 routes for the maximum of nodes of garden-dev/a, "
       "but its quota is 3 (as its routeQuota declares)",
       "request a higher quota and change the network's routeQuota at x.yaml:5:19, lower "
       "the workers' maximum"},
  };
  for (const Told& row : rows) {
    const LocatedShoots located(row.text);
    const auto budgets = route_budgets(located.inventory, located.routing_scopes);
    ASSERT_TRUE(budgets.at(0).finding) << row.because;
    EXPECT_EQ(budgets[0].finding->message, row.message) << row.because;
    EXPECT_EQ(budgets[0].finding->hint, row.hint) << row.because;
  }
}

TEST(Budget, WaitsForCreationWhereTheCreatedShootsFit) {
  struct Waiting {
    const char* because;
    std::string text;
    bool waits;
  };
  const Waiting rows[] = {
      {"a manifest's nodes exceed it", testing::texts({kGcp, not_created(kGcp)}), true},
      {"nodes that exist exceed it", testing::texts({kGcp}, quota("routeQuota: 90")), false},
      {"the greatest number of nodes exceeds it", testing::texts({kGcp}), false},
  };
  ReadOptions options;
  options.derive.landscape = effective::with_setting({}, "landscape.route-quota.gcp=150").value();
  for (const Waiting& row : rows) {
    const LocatedShoots located(row.text, options);
    const auto budgets = route_budgets(located.inventory, located.routing_scopes);
    ASSERT_TRUE(budgets.at(0).finding) << row.because;
    EXPECT_EQ(budgets[0].waits_for_creation(), row.waits) << row.because;
  }
}

TEST(Budget, OfTheLandscapesSettingsIsKnown) {
  ReadOptions options;
  options.derive.landscape = effective::with_setting({}, "landscape.route-quota.gcp=100").value();
  ShootText a = kGcp;
  const LocatedShoots located(testing::texts({a}), options);
  const auto budgets = route_budgets(located.inventory, located.routing_scopes);
  ASSERT_TRUE(budgets.at(0).finding);
  EXPECT_EQ(budgets[0].finding->severity, Severity::Error);
  EXPECT_THAT(budgets[0].finding->message, HasSubstr("its quota is 100"));
  EXPECT_THAT(budgets[0].finding->hint, HasSubstr("set it with --set landscape.route-quota.gcp=N"));
}

}  // namespace budget_test

}  // namespace overlane::overlap
