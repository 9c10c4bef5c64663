#include "topologies/domains/merge.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::domains {

namespace merge_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The specs as files a.yaml, b.yaml …, each of which is sound.
std::vector<DeclarationFile> files_of(const std::vector<std::string>& specs) {
  std::vector<DeclarationFile> files;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    document::Stream stream = document::parse(
        "apiVersion: overlane.dev/v1alpha1\nkind: RoutingDomains\nmetadata: {name: " + name +
            "}\nspec:\n" + specs[i],
        name + ".yaml");
    take_declarations(stream, files);
    EXPECT_TRUE(stream.findings.empty()) << stream.findings.at(0).to_string();
  }
  return files;
}

struct Row {
  const char* what;
  std::vector<std::string> specs;
  /// What is found, each as a line for people; none: nothing is wrong.
  std::vector<std::string> findings = {};
};

std::string project(const std::string& name, const std::string& rest) {
  return "  projects: [{name: " + name + ", " + rest + "}]\n";
}
std::string network(const std::string& rest) {
  return "  networks: [{" + rest + "}]\n";
}
std::string connection(const std::string& rest) {
  return "  connections: [{name: hub, " + rest + "}]\n";
}
std::string reserved(const std::string& cidr) {
  return "  reserved: [{cidr: " + cidr + "}]\n";
}

constexpr const char* kFix = " [contradictory-domains]; correct one of the two places";

std::vector<Row> rows() {
  const std::string vpc = "provider: aws, network: v";
  const std::string gcp = "provider: gcp, network: v";
  const std::string ends = "networks: [{shoot: a/b}, {shoot: a/c}]";
  const auto error = [](const std::string& text) { return text + kFix; };
  return {
      {"the same project",
       {project("p", "provider: aws, credentials: [a/b]"),
        project("p", "provider: aws, credentials: [a/b]")}},
      {"a project of two providers",
       {project("p", "provider: aws"), project("p", "provider: gcp")},
       {error("b.yaml:5:14: error: b: project p has provider gcp here and provider aws at "
              "a.yaml:5:14")}},
      {"a project of two lists of credentials",
       {project("p", "provider: aws, credentials: [a/b]"), project("p", "provider: aws")},
       {error(
           "b.yaml:5:14: error: b: project p has these credentials here and other credentials at "
           "a.yaml:5:14")}},
      {"credentials of two projects",
       {project("p", "provider: aws, credentials: [a/b]"),
        project("q", "provider: aws, credentials: [a/a, a/b]")},
       {error("b.yaml:5:14: error: b: credentials a/b belong to project q here and project p at "
              "a.yaml:5:14")}},
      {"a project that another file declares",
       {network(vpc + ", project: p"), project("p", "provider: aws")}},
      {"a project that nobody declares",
       {network(vpc + ", project: p")},
       {"a.yaml:5:14: error: a: project p is not declared [unknown-project]; declare it under "
        "spec.projects, with its credentials"}},
      {"a misspelt project",
       {project("acme-prod", "provider: aws"),
        connection("kind: vpn, networks: [{shoot: a/b}, {" + vpc + ", project: acme-prd}]")},
       {"b.yaml:5:65: error: b: project acme-prd is not declared [unknown-project]; did you mean "
        "acme-prod?"}},
      {"a project of another provider",
       {project("p", "provider: gcp"), network(vpc + ", project: p")},
       {error("b.yaml:5:14: error: b: project p has the network aws v here and provider gcp at "
              "a.yaml:5:14")}},
      {"a network in two projects",
       {project("p", "provider: aws") + network(vpc + ", project: p"),
        project("q", "provider: aws") + network(vpc + ", project: q")},
       {error("b.yaml:6:14: error: b: aws v is in project q here and project p at a.yaml:6:14")}},
      {"an id whose project only one says",
       {project("p", "provider: aws") + network(vpc), network(vpc + ", project: p")}},
      {"networks of one name in two projects",
       {project("p", "provider: gcp") + network(gcp + ", project: p, routeQuota: 1"),
        project("q", "provider: gcp") + network(gcp + ", project: q, routeQuota: 2")}},
      {"a name whose project only one says",
       {project("p", "provider: gcp") + network(gcp + ", project: p"), network(gcp)},
       {error("b.yaml:5:14: error: b: gcp v is in no project here and project p at a.yaml:6:14")}},
      {"vnets of one name in two resource groups",
       {network("provider: azure, network: v, resourceGroup: r, routeQuota: 1"),
        network("provider: azure, network: v, resourceGroup: s, routeQuota: 2")}},
      {"a quota that only one says", {network(vpc), network(vpc + ", routeQuota: 7")}},
      {"two quotas",
       {network(vpc), network(vpc + ", routeQuota: 7"), network(vpc + ", routeQuota: 8")},
       {error("c.yaml:5:14: error: c: aws v has routeQuota 8 here and 7 at b.yaml:5:14")}},
      {"two numbers of other routes, of which one is 0",
       {network(vpc + ", otherRoutes: 0"), network(vpc + ", otherRoutes: 3")},
       {error("b.yaml:5:14: error: b: aws v has otherRoutes 3 here and 0 at a.yaml:5:14")}},
      {"quotas of a shoot's network",
       {network("shoot: a/b, routeQuota: 7"), network("shoot: a/b, routeQuota: 8")},
       {error("b.yaml:5:14: error: b: the network of a/b has routeQuota 8 here and 7 at "
              "a.yaml:5:14")}},
      {"a range for two purposes",
       {network(vpc + ", ranges: [{cidr: 10.0.0.0/8, purpose: x}, {cidr: 10.0.0.0/8}]")}},
      {"a range of two networks",
       {network(vpc + ", ranges: [{cidr: 10.0.0.0/8}]"),
        network("provider: aws, network: w, ranges: [{cidr: 10.0.0.0/8}]")}},
      {"a range within a reserved one",
       {network(vpc + ", ranges: [{cidr: 10.0.0.0/16}]"), reserved("10.0.0.0/8")}},
      {"a range that is reserved later",
       {network(vpc + ", ranges: [{cidr: 10.0.0.0/8}]"), reserved("10.0.0.0/8")},
       {error("b.yaml:5:21: error: b: 10.0.0.0/8 is reserved by the landscape here and a range of "
              "aws v at a.yaml:5:58")}},
      {"a range that was reserved before",
       {reserved("10.0.0.0/8"), network(vpc + ", ranges: [{cidr: 10.0.0.0/8}]")},
       {error("b.yaml:5:58: error: b: 10.0.0.0/8 is a range of aws v here and reserved by the "
              "landscape at a.yaml:5:21")}},
      {"a subnet in two tables of one file",
       {network(vpc + ", routeTables: [{name: t, subnets: [s]}, {name: u, subnets: [s, x]}]")},
       {error("a.yaml:5:81: error: a: subnet s of aws v is in route table u here and route table t "
              "at a.yaml:5:56")}},
      {"subnets of one name in two vnets",
       {network("provider: azure, network: v, resourceGroup: r, routeTables: [{name: t, subnets: "
                "[s]}]"),
        network("provider: azure, network: w, resourceGroup: r, routeTables: [{name: u, subnets: "
                "[s]}]")}},
      {"the same connection in another order",
       {connection("kind: vpn, " + ends),
        connection("kind: vpn, networks: [{shoot: a/c}, {shoot: a/b}]")}},
      {"connections of two kinds",
       {connection("kind: vpn, " + ends), connection("kind: peering, " + ends)},
       {error("b.yaml:5:17: error: b: connection hub has kind peering here and kind vpn at "
              "a.yaml:5:17")}},
      {"connections that carry different routes",
       {connection("kind: vpn, " + ends), connection("kind: vpn, carriesPodRoutes: true, " + ends)},
       {error("b.yaml:5:17: error: b: connection hub has carriesPodRoutes true here and "
              "carriesPodRoutes false at a.yaml:5:17")}},
      {"connections of other networks",
       {connection("kind: vpn, " + ends),
        connection("kind: vpn, networks: [{shoot: a/b}, {shoot: a/d}]")},
       {error("b.yaml:5:17: error: b: connection hub has these networks here and other networks at "
              "a.yaml:5:17")}},
      {"connections to other ranges",
       {connection("kind: vpn, ranges: [{cidr: 10.0.0.0/8}], " + ends),
        connection("kind: vpn, ranges: [{cidr: 11.0.0.0/8}], " + ends)},
       {error("b.yaml:5:17: error: b: connection hub has these ranges here and other ranges at "
              "a.yaml:5:17")}},
  };
}

TEST(MergedDomains, ContradictionsNameBothPlaces) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.what);
    std::vector<std::string> found;
    for (const Finding& finding : merge(files_of(row.specs)).findings)
      found.push_back(finding.to_string());
    EXPECT_EQ(found, row.findings);
  }
}

TEST(MergedDomains, EveryRuleHasARowThatBreaksIt) {
  std::set<std::string> broken;
  for (const Row& row : rows())
    for (const Finding& finding : merge(files_of(row.specs)).findings) {
      broken.insert(finding.rule);
      const auto rule = std::ranges::find(rules(), finding.rule, &rules::Rule::id);
      ASSERT_NE(rule, rules().end()) << finding.to_string();
      EXPECT_EQ(finding.severity, rule->severity);
    }
  EXPECT_EQ(broken.size(), rules().size());
}

TEST(MergedDomains, AddUpDeclarationsOfANetwork) {
  const Merged merged = merge(
      files_of({project("p", "provider: aws") +
                    network("provider: aws, network: v, project: p, ranges: [{cidr: 10.0.0.0/8}], "
                            "routeTables: [{name: t, subnets: [s1]}]"),
                network("provider: aws, network: v, routeQuota: 9, otherRoutes: 2, "
                        "ranges: [{cidr: 11.0.0.0/8}, {cidr: 10.0.0.0/8}], "
                        "routeTables: [{name: t, subnets: [s2]}, {name: u, subnets: [s3]}]") +
                    reserved("10.42.0.0/15") +
                    connection("kind: vpn, networks: [{shoot: a/b}, {shoot: "
                               "a/c}]")}));
  ASSERT_THAT(merged.findings, IsEmpty());
  ASSERT_EQ(merged.declarations.networks.size(), 1u);
  const DeclaredNetwork& one = merged.declarations.networks[0];
  EXPECT_EQ(one.ref.project, "p");
  EXPECT_EQ(one.route_quota, 9);
  EXPECT_EQ(one.other_routes, 2);
  EXPECT_TRUE(one.says_other_routes);
  EXPECT_EQ(one.place.to_string(), "a.yaml:6:14");
  ASSERT_EQ(one.ranges.size(), 2u);
  EXPECT_EQ(one.ranges[1].cidr.to_string(), "11.0.0.0/8");
  ASSERT_EQ(one.route_tables.size(), 2u);
  EXPECT_THAT(one.route_tables[0].subnets, ElementsAre("s1", "s2"));
  EXPECT_EQ(merged.declarations.projects.size(), 1u);
  EXPECT_EQ(merged.declarations.connections.size(), 1u);
  EXPECT_EQ(merged.declarations.reserved.size(), 1u);
  EXPECT_FALSE(merged.declarations.empty());
  EXPECT_TRUE(merge({}).declarations.empty());
}

TEST(MergedDomains, OfTwoThatContradictTheFirstCounts) {
  const Merged merged = merge(files_of(
      {network("provider: aws, network: v, routeQuota: 1, routeTables: [{name: t, subnets: [s]}]") +
           reserved("10.0.0.0/8"),
       network("provider: aws, network: v, routeQuota: 2, ranges: [{cidr: 10.0.0.0/8}], "
               "routeTables: [{name: u, subnets: [s, x]}]")}));
  EXPECT_EQ(merged.findings.size(), 3u);
  const DeclaredNetwork& one = merged.declarations.networks.at(0);
  EXPECT_EQ(one.route_quota, 1);
  EXPECT_THAT(one.ranges, IsEmpty());
  EXPECT_THAT(one.route_tables.at(0).subnets, ElementsAre("s"));
  EXPECT_THAT(one.route_tables.at(1).subnets, ElementsAre("x"));
}

TEST(MergedDomains, AFindingHasItsObjectAndPath) {
  document::Stream stream = document::parse(
      "apiVersion: v1\nkind: List\nitems:\n"
      "- apiVersion: overlane.dev/v1alpha1\n  kind: RoutingDomains\n  metadata: {name: a}\n"
      "  spec:\n    networks:\n    - {provider: aws, network: v, ranges: [{cidr: 10.0.0.0/8}]}\n"
      "    reserved: [{cidr: 10.0.0.0/8}]\n",
      "x.yaml");
  const Findings findings = judge(stream);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].path, "items[0].spec.reserved[0].cidr");
  EXPECT_EQ(findings[0].object.kind, "RoutingDomains");
  EXPECT_EQ(findings[0].object.name, "a");
  EXPECT_EQ(stream.documents.size(), 1u);
}

}  // namespace merge_test

}  // namespace overlane::domains
