#include "topologies/domains/declarations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "topologies/document/read/read.h"

namespace overlane::domains {

namespace decode_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string file_with(const std::string& spec) {
  return "apiVersion: overlane.dev/v1alpha1\nkind: RoutingDomains\nmetadata: {name: "
         "acme}\nspec:\n" +
         spec;
}

Result<DeclarationFile, Findings> decode_spec(const std::string& spec) {
  const auto stream = document::parse(file_with(spec), "x.yaml");
  EXPECT_EQ(stream.documents.size(), 1u) << spec;
  return decode(stream.documents.at(0));
}

std::string cidr_of(const DeclaredRange& range) {
  return range.cidr.to_string();
}

TEST(RoutingDomains, TheExampleOfTheLibraryIsRead) {
  const auto tree = document::read_one(source_file("topologies/library/routing-domains.yaml"));
  ASSERT_TRUE(tree);
  const auto file = decode(*tree);
  ASSERT_TRUE(file) << file.error().at(0).to_string();
  EXPECT_EQ(file->object.qualified(), "acme");
  const Declarations& all = file->declared;

  ASSERT_EQ(all.projects.size(), 2u);
  EXPECT_EQ(all.projects[0].name, "acme-prod");
  EXPECT_EQ(all.projects[0].provider, "gcp");
  EXPECT_THAT(all.projects[0].credentials,
              ElementsAre("garden-acme/gcp-main", "garden-shop/gcp-main"));

  ASSERT_EQ(all.networks.size(), 5u);
  const DeclaredNetwork& aws = all.networks[0];
  EXPECT_EQ(to_string(aws.ref), "aws vpc-0a1b2c3d4e5f67890");
  ASSERT_EQ(aws.ranges.size(), 2u);
  EXPECT_EQ(cidr_of(aws.ranges[1]), "100.112.0.0/16");
  EXPECT_EQ(aws.ranges[1].purpose, "secondary CIDR of the build farm");
  EXPECT_EQ(aws.route_quota, 1000);
  EXPECT_EQ(aws.other_routes, 14);
  ASSERT_EQ(aws.foreign_routes.size(), 1u);
  EXPECT_EQ(cidr_of(aws.foreign_routes[0]), "198.18.64.0/24");
  EXPECT_EQ(aws.foreign_routes[0].purpose, "appliance of the build farm");
  ASSERT_EQ(aws.route_tables.size(), 1u);
  EXPECT_EQ(aws.route_tables[0].subnets.size(), 2u);
  EXPECT_EQ(to_string(all.networks[1].ref), "gcp shared-vpc in acme-prod");
  EXPECT_EQ(to_string(all.networks[2].ref), "azure network-rg/hub-vnet in acme-lab");
  EXPECT_FALSE(all.networks[2].route_quota);
  EXPECT_FALSE(all.networks[2].says_other_routes);
  EXPECT_EQ(to_string(all.networks[4].ref), "the network of garden-dev/one");

  ASSERT_EQ(all.connections.size(), 2u);
  EXPECT_EQ(all.connections[0].kind, ConnectionKind::TransitGateway);
  EXPECT_TRUE(all.connections[0].carries_pod_routes);
  EXPECT_EQ(all.connections[0].networks.at(1).shoot, "garden-dev/one");
  EXPECT_EQ(cidr_of(all.connections[0].ranges.at(0)), "10.8.0.0/14");
  EXPECT_EQ(all.connections[1].kind, ConnectionKind::Vpn);
  EXPECT_FALSE(all.connections[1].carries_pod_routes);

  ASSERT_EQ(all.reserved.size(), 2u);
  EXPECT_EQ(cidr_of(all.reserved[1]), "fd00:42::/48");
  EXPECT_GT(all.reserved[1].place.line, 80);
}

TEST(RoutingDomains, ForeignRoutesCountAgainstTheDeclaredQuota) {
  const auto decoded = [](const std::string& others) {
    return decode_spec(
        "  networks: [{provider: aws, network: v, routeQuota: 3, " + others +
        "foreignRoutes: [{destination: 10.0.0.0/24}, {destination: 10.0.1.0/24}]}]\n");
  };
  EXPECT_TRUE(decoded("otherRoutes: 1, "));
  const auto file = decoded("otherRoutes: 2, ");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().front().rule, "out-of-range");
  EXPECT_THAT(file.error().front().message, HasSubstr("2 routes and otherRoutes 2"));
}

TEST(RoutingDomains, CredentialsAndSubnetsAreSortedAndUnique) {
  const auto file = decode_spec(
      "  projects: [{name: p, provider: aws, credentials: [b/b, a/a, b/b]}]\n"
      "  networks: [{provider: aws, network: v, routeTables: [{name: t, subnets: [s2, s1, "
      "s2]}]}]\n");
  ASSERT_TRUE(file);
  EXPECT_THAT(file->declared.projects.at(0).credentials, ElementsAre("a/a", "b/b"));
  EXPECT_THAT(file->declared.networks.at(0).route_tables.at(0).subnets, ElementsAre("s1", "s2"));
}

struct Wrong {
  const char* what;
  const char* spec;
  const char* rule;
  int column;
  const char* message;  ///< A part of it.
  const char* hint;     ///< A part of it.
};

const Wrong kWrong[] = {
    {"an unknown key", "  netwerks: []\n", "unknown-key", 3, "spec.netwerks",
     "did you mean networks?"},
    {"an unknown key of a reference",
     "  connections: [{name: c, kind: vpn, networks: [{shoot: a/b, region: x}], ranges: [{cidr: "
     "10.0.0.0/8}]}]\n",
     "unknown-key", 62, "networks[0].region", ""},
    {"a project without a name", "  projects: [{provider: aws}]\n", "missing-key", 14, "name", ""},
    {"a project without a provider", "  projects: [{name: p}]\n", "missing-key", 14, "provider",
     ""},
    {"a provider nobody knows", "  projects: [{name: p, provider: azzure}]\n", "bad-value", 34,
     "must not be \"azzure\"", "did you mean azure?"},
    {"a provider without names of networks", "  networks: [{provider: metal, network: n}]\n",
     "bad-value", 25, "manifests of metal do not name networks", "shoot: NAMESPACE/NAME"},
    {"credentials without a namespace",
     "  projects: [{name: p, provider: aws, credentials: [main]}]\n", "bad-value", 53,
     "\"main\" is not a namespaced name", "NAMESPACE/NAME"},
    {"credentials without a name", "  projects: [{name: p, provider: aws, credentials: [main/]}]\n",
     "bad-value", 53, "\"main/\"", ""},
    {"credentials with two slashes",
     "  projects: [{name: p, provider: aws, credentials: [a/b/c]}]\n", "bad-value", 53, "\"a/b/c\"",
     ""},
    {"empty credentials", "  projects: [{name: p, provider: aws, credentials: [\"\"]}]\n",
     "bad-value", 53, "\"\"", ""},
    {"no network", "  networks: [{routeQuota: 9}]\n", "missing-key", 14, "does not name a network",
     "or shoot"},
    {"a network without a provider", "  networks: [{network: v}]\n", "missing-key", 14, "provider",
     ""},
    {"a provider without a network", "  networks: [{provider: aws}]\n", "missing-key", 14,
     "network", ""},
    {"a vnet without a resource group", "  networks: [{provider: azure, network: v}]\n",
     "missing-key", 14, "resourceGroup", ""},
    {"a resource group on aws", "  networks: [{provider: aws, network: v, resourceGroup: r}]\n",
     "bad-value", 42, "networks of aws have no resource group", "remove it"},
    {"a shoot and a network", "  networks: [{shoot: a/b, network: v}]\n", "bad-value", 27,
     "network conflicts with shoot", "keep either"},
    {"a shoot without a namespace", "  networks: [{shoot: b}]\n", "bad-value", 22, "\"b\"", ""},
    {"route tables on gcp",
     "  networks: [{provider: gcp, network: v, routeTables: [{name: t, subnets: [s]}]}]\n",
     "bad-value", 42, "gcp have no separate route tables", "one route table"},
    {"route tables on openstack",
     "  networks: [{provider: openstack, network: v, routeTables: [{name: t, subnets: [s]}]}]\n",
     "bad-value", 48, "openstack", ""},
    {"a route table without a name",
     "  networks: [{provider: aws, network: v, routeTables: [{subnets: [s]}]}]\n", "missing-key",
     56, "name", ""},
    {"a route table of no subnet",
     "  networks: [{provider: aws, network: v, routeTables: [{name: t, subnets: []}]}]\n",
     "bad-value", 75, "subnets is empty", "list the subnets"},
    {"no room for routes", "  networks: [{provider: aws, network: v, routeQuota: 0}]\n",
     "out-of-range", 54, "between 1 and 1000000", ""},
    {"fewer routes than none", "  networks: [{provider: aws, network: v, otherRoutes: -1}]\n",
     "out-of-range", 55, "between 0 and 1000000", ""},
    {"more routes than there is room for",
     "  networks: [{provider: aws, network: v, routeQuota: 5, otherRoutes: 6}]\n", "out-of-range",
     70, "more than the routeQuota of 5", ""},
    {"host bits", "  reserved: [{cidr: 10.0.0.5/16}]\n", "invalid-cidr", 21,
     "its network is 10.0.0.0/16", ""},
    {"no CIDR at all", "  reserved: [{cidr: everywhere}]\n", "invalid-cidr", 21, "everywhere", ""},
    {"a range without a CIDR", "  reserved: [{purpose: x}]\n", "missing-key", 14, "cidr", ""},
    {"a default route of IPv4", "  reserved: [{cidr: 0.0.0.0/0}]\n", "bad-value", 21,
     "every address", "default route"},
    {"a default route of IPv6", "  reserved: [{cidr: \"::/0\"}]\n", "bad-value", 21,
     "every address", ""},
    {"a connection without a name",
     "  connections: [{kind: vpn, networks: [{shoot: a/b}, {shoot: a/c}]}]\n", "missing-key", 17,
     "name", ""},
    {"a connection without a kind",
     "  connections: [{name: c, networks: [{shoot: a/b}, {shoot: a/c}]}]\n", "missing-key", 17,
     "kind", ""},
    {"a kind nobody knows",
     "  connections: [{name: c, kind: pearing, networks: [{shoot: a/b}, {shoot: a/c}]}]\n",
     "bad-value", 33, "must not be \"pearing\"", "did you mean peering?"},
    {"a connection of one network",
     "  connections: [{name: c, kind: vpn, networks: [{shoot: a/b}]}]\n", "bad-value", 17,
     "does not join anything", ""},
    {"a connection of ranges only",
     "  connections: [{name: c, kind: vpn, ranges: [{cidr: 10.0.0.0/8}]}]\n", "bad-value", 17,
     "does not join anything", ""},
    {"one network twice",
     "  connections: [{name: c, kind: vpn, networks: [{shoot: a/b}, {shoot: a/b}]}]\n", "bad-value",
     48, "names the network of a/b twice", ""},
    {"a peering of three",
     "  connections: [{name: c, kind: peering, networks: [{shoot: a/b}, {shoot: a/c}, {shoot: "
     "a/d}]}]\n",
     "bad-value", 52, "a peering joins two", "each pair"},
    {"a list that is a mapping", "  networks: {}\n", "wrong-type", 13, "must be a list", ""},
};

TEST(RoutingDomains, AreDecodedStrictly) {
  for (const Wrong& row : kWrong) {
    SCOPED_TRACE(row.what);
    const auto file = decode_spec(row.spec);
    ASSERT_FALSE(file);
    ASSERT_EQ(file.error().size(), 1u) << file.error().at(1).to_string();
    const Finding& finding = file.error().at(0);
    EXPECT_EQ(finding.rule, row.rule) << finding.to_string();
    EXPECT_EQ(finding.place.line, 5) << finding.to_string();
    EXPECT_EQ(finding.place.column, row.column) << finding.to_string();
    EXPECT_EQ(finding.object.qualified(), "acme");
    EXPECT_THAT(finding.message, HasSubstr(row.message));
    EXPECT_THAT(finding.hint, HasSubstr(row.hint));
  }
}

constexpr const char* kShoot = "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n";

TEST(RoutingDomains, AreTakenOutOfManifests) {
  document::Stream stream =
      document::parse(kShoot + ("---\n" + file_with("  reserved: [{cidr: 10.0.0.0/8}]\n")) +
                          "---\n" + file_with("  reserved: [{cidr: 10.0.0.1/8}]\n"),
                      "x.yaml");
  std::vector<DeclarationFile> files;
  take_declarations(stream, files);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].declared.reserved.size(), 1u);
  ASSERT_EQ(stream.findings.size(), 1u);
  EXPECT_EQ(stream.findings[0].rule, "invalid-cidr");
  ASSERT_EQ(stream.documents.size(), 1u);
  EXPECT_EQ(stream.documents[0].root()["kind"].text(), "Shoot");
}

TEST(RoutingDomains, AFileNamedAsSuchHoldsNothingElse) {
  const std::string sound = file_with("  reserved: [{cidr: 10.0.0.0/8}]\n");
  const auto both = decode_all(document::parse(sound + "---\n" + sound, "x.yaml"));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->size(), 2u);

  const auto shoot = decode_all(document::parse(sound + "---\n" + kShoot, "x.yaml"));
  ASSERT_FALSE(shoot);
  EXPECT_THAT(shoot.error().back().to_string(),
              HasSubstr("kind \"Shoot\" stands where a RoutingDomains is needed"));
  EXPECT_FALSE(decode_all(document::parse("kind: [\n", "x.yaml")));
}

}  // namespace decode_test

}  // namespace overlane::domains
