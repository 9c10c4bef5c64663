#include "topologies/overlap/inventory/routing_scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {

namespace position_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::infrastructure;
using ::testing::IsEmpty;
using testing::LocatedShoots;
using testing::routing_domains;
using testing::ShootText;

/// What two shoots have in common, from the narrowest.
std::string shared(const RoutingScope& a, const RoutingScope& b) {
  if (a.route_table == b.route_table) return "one list";
  if (a.possible_table == b.possible_table) return "one network, possibly one list";
  if (a.network == b.network) return "one network";
  if (a.domain != b.domain || (a.project_known && b.project_known)) return "nothing";
  return "possibly one network";
}

/// Two shoots, a and b, and what they share.
struct Case {
  const char* because;
  std::string provider;
  ShootText a;
  ShootText b;
  std::string shared;
  std::string others = "";
};

std::string aws_subnet(const std::string& id) {
  return "vpc: {id: vpc-1}, zones: [{name: z, workersSubnetID: " + id + "}]";
}

std::string azure(const std::string& name, const std::string& group,
                  const std::string& more = "workers: 10.250.0.0/16") {
  return "vnet: {name: " + name + ", resourceGroup: " + group + "}, " + more;
}

const ShootText kOwn{};

std::vector<Case> aws_cases() {
  const ShootText vpc{.networks = "vpc: {id: vpc-1}", .credentials = "main"};
  const ShootText other_credentials{.networks = "vpc: {id: vpc-1}", .credentials = "other"};
  const ShootText made{.networks = "vpc: {cidr: 10.250.0.0/16}"};
  const ShootText one{.networks = aws_subnet("subnet-1")};
  const ShootText two{.networks = aws_subnet("subnet-2")};
  const auto table = [](const std::string& tables) {
    return routing_domains("networks: [{provider: aws, network: vpc-1, routeTables: [" + tables +
                           "]}]");
  };
  return {
      {"an id names one VPC; subnets that Gardener makes have tables of their own", "aws", vpc, vpc,
       "one network"},
      {"an id is globally unique, whose credentials ever", "aws", vpc, other_credentials,
       "one network"},
      {"another id is another VPC", "aws", vpc, {.networks = "vpc: {id: vpc-2}"}, "nothing"},
      {"VPCs that Gardener makes are each shoot's own", "aws", made, made, "nothing"},
      {"without infrastructureConfig it makes one, too", "aws", kOwn, kOwn, "nothing"},
      {"a subnet has one table", "aws", one, one, "one list"},
      {"of subnets nobody says whose table is whose", "aws", one, two,
       "one network, possibly one list"},
      {"a declared table has both", "aws", one, two, "one list",
       table("{name: rtb, subnets: [subnet-1, subnet-2]}")},
      {"a shoot may stand for its network", "aws", one, two, "one list",
       routing_domains("networks: [{shoot: garden-dev/a, routeTables: [{name: rtb, subnets: "
                       "[subnet-1, subnet-2]}]}]")},
      {"each stands in a declared table", "aws", one, two, "one network",
       table("{name: rtb-1, subnets: [subnet-1]}, {name: rtb-2, subnets: [subnet-2]}")},
      {"only one of them is declared", "aws", one, two, "one network",
       table("{name: rtb-1, subnets: [subnet-1]}")},
      {"tables that Gardener makes are nobody else's", "aws", vpc, one, "one network"},
      {"a status says which VPC Gardener made, and b names it", "aws", made, vpc, "one network",
       infrastructure("a", "aws", "vpc: {id: vpc-1}")},
      {"a status says which subnets Gardener made, and b names one", "aws", made, one, "one list",
       infrastructure("a", "aws", "vpc: {id: vpc-1, subnets: [{id: subnet-1, purpose: nodes}]}")},
      {"a subnet of load balancers holds no nodes", "aws", made, one, "one network",
       infrastructure("a", "aws", "vpc: {id: vpc-1, subnets: [{id: subnet-1, purpose: public}]}")},
  };
}

std::vector<Case> gcp_cases() {
  const auto named = [](const std::string& credentials, const std::string& name = "shared") {
    return ShootText{.networks = "vpc: {name: " + name + "}", .credentials = credentials};
  };
  const auto projects = [](const std::string& one, const std::string& two = "") {
    return routing_domains(
        "projects: [{name: one, provider: gcp, credentials: [" + one + "]}" +
        (two.empty() ? "" : ", {name: two, provider: gcp, credentials: [" + two + "]}") + "]");
  };
  return {
      {"one name in one project", "gcp", named("main"), named("main"), "one list"},
      {"other credentials may lead into the same project", "gcp", named("main"), named("other"),
       "possibly one network"},
      {"nobody knows the project", "gcp", named(""), named(""), "possibly one network"},
      {"of one nobody knows it", "gcp", named("main"), named(""), "possibly one network"},
      {"both credentials lead into a declared project", "gcp", named("main"), named("other"),
       "one list", projects("garden-dev/main, garden-dev/other")},
      {"they lead into two declared projects", "gcp", named("main"), named("other"), "nothing",
       projects("garden-dev/main", "garden-dev/other")},
      {"of one set the project is not declared", "gcp", named("main"), named("other"),
       "possibly one network", projects("garden-dev/main")},
      {"another name is another network", "gcp", named("main"), named("main", "other"), "nothing"},
      {"networks that Gardener makes are each shoot's own", "gcp", kOwn, kOwn, "nothing"},
      {"a status says which network Gardener made, and b names it",
       "gcp",
       {.credentials = "main"},
       named("main", "shoot--dev--a"),
       "one list",
       infrastructure("a", "gcp", "networks: {vpc: {name: shoot--dev--a}}")},
  };
}

std::vector<Case> azure_cases() {
  const auto at = [](const std::string& networks, const std::string& credentials = "main") {
    return ShootText{.networks = networks, .credentials = credentials};
  };
  const auto subnet = [](const std::string& name) {
    return azure("hub", "net", "subnet: {name: " + name + "}");
  };
  const auto table = [](const std::string& project) {
    return routing_domains(
        "projects: [{name: p, provider: azure, credentials: [garden-dev/main]}], networks: "
        "[{provider: azure, network: hub, resourceGroup: net, " +
        project + "routeTables: [{name: t, subnets: [one, two]}]}]");
  };
  const std::string of_shoot = routing_domains(
      "networks: [{shoot: garden-dev/a, routeTables: [{name: t, subnets: [one, two]}]}]");
  return {
      {"name and resource group name one vnet; Gardener makes tables", "azure",
       at(azure("hub", "net")), at(azure("hub", "net")), "one network"},
      {"another resource group", "azure", at(azure("hub", "net")), at(azure("hub", "lab")),
       "nothing"},
      {"another subscription may have both names, too", "azure", at(azure("hub", "net")),
       at(azure("hub", "net"), "other"), "possibly one network"},
      {"a subnet has one table", "azure", at(subnet("one")), at(subnet("one")), "one list"},
      {"of subnets nobody says whose table is whose", "azure", at(subnet("one")), at(subnet("two")),
       "one network, possibly one list"},
      {"a declared table has both", "azure", at(subnet("one")), at(subnet("two")), "one list",
       table("project: p, ")},
      {"subnets' names are unique in a vnet only", "azure", at(subnet("one")),
       at(subnet("one"), "other"), "possibly one network"},
      {"a declared table is of the subscription that is named", "azure", at(subnet("one")),
       at(subnet("two"), "other"), "possibly one network", table("project: p, ")},
      {"of the subscription of a shoot that stands for its network", "azure", at(subnet("one")),
       at(subnet("two")), "one list", of_shoot},
      {"and of no other", "azure", at(subnet("one")), at(subnet("two"), "other"),
       "possibly one network", of_shoot},
      {"of any subscription, where none is named", "azure", at(subnet("one")), at(subnet("two")),
       "one list", table("")},
  };
}

std::vector<Case> other_cases() {
  const auto router = [](const std::string& id, const std::string& network = "n1") {
    return ShootText{.networks = "router: {id: " + id + "}, id: " + network};
  };
  const ShootText vpc{.networks = "vpc: {id: vpc-1}"};
  const ShootText custom{.networks = "vpc: {id: vpc-1, useCustomRouteTable: true}"};
  const ShootText metal{.config = "partitionID: p, projectID: q"};
  return {
      {"a router has one list for all its networks", "openstack", router("r1", "n1"),
       router("r1", "n2"), "one list"},
      {"one network at two routers is two domains", "openstack", router("r1", "n1"),
       router("r2", "n1"), "nothing"},
      {"routers that Gardener makes are each shoot's own", "openstack", kOwn, kOwn, "nothing"},
      {"a status says which router Gardener made, and b names it", "openstack", kOwn, router("r9"),
       "one list", infrastructure("a", "openstack", "networks: {router: {id: r9}}")},
      {"a VPC's system table is for all", "alicloud", vpc, vpc, "one list"},
      {"a custom table is a shoot's own", "alicloud", vpc, custom, "one network"},
      {"two custom tables are two", "alicloud", custom, custom, "one network"},
      {"a private network is a shoot's own", "metal", metal, metal, "nothing"},
      {"all share the network of the machine, and have no list", "local", kOwn, kOwn,
       "one network"},
      {"of a provider that nobody knows nothing is shared", "acme", kOwn, kOwn, "nothing"},
  };
}

class SharedBy : public ::testing::TestWithParam<std::vector<Case> (*)()> {};

TEST_P(SharedBy, SaysWhatTwoShootsShare) {
  for (Case row : GetParam()()) {
    row.a.name = "a";
    row.b.name = "b";
    row.a.provider = row.b.provider = row.provider;
    const LocatedShoots located(testing::texts({row.a, row.b}, row.others));
    ASSERT_EQ(located.inventory.shoots.size(), 2u);
    EXPECT_EQ(shared(located.routing_scope("a"), located.routing_scope("b")), row.shared)
        << row.provider << ": " << row.because;
  }
}

INSTANTIATE_TEST_SUITE_P(Aws, SharedBy, ::testing::Values(aws_cases));
INSTANTIATE_TEST_SUITE_P(Gcp, SharedBy, ::testing::Values(gcp_cases));
INSTANTIATE_TEST_SUITE_P(Azure, SharedBy, ::testing::Values(azure_cases));
INSTANTIATE_TEST_SUITE_P(Others, SharedBy, ::testing::Values(other_cases));

}  // namespace position_test

namespace uncertainty_test {

using ::testing::EndsWith;
using testing::LocatedShoots;

std::string uncertainty(const std::string& a, const std::string& b, const std::string& c,
                        const std::string& declared = "") {
  const std::string networks = "vpc: {name: n}";
  const LocatedShoots located(
      testing::texts({{.name = "a", .networks = networks, .credentials = a},
                      {.name = "b", .networks = networks, .credentials = b},
                      {.name = "c", .networks = networks, .credentials = c}},
                     declared));
  return uncertainties(located.inventory, located.routing_scopes)["gcp/n"];
}

TEST(Uncertainties, NamesTheInformationThatIsMissing) {
  EXPECT_THAT(uncertainty("one", "two", "one"),
              EndsWith("the project of these credentials in a RoutingDomains file (projects): "
                       "garden-dev/one, garden-dev/two"));
  EXPECT_THAT(uncertainty("one", "", "one"),
              EndsWith("(projects): garden-dev/one; garden-dev/b has no credentials"));
  EXPECT_THAT(uncertainty("", "", ""),
              EndsWith("manifests do not show; garden-dev/a and others have no credentials"));
}

TEST(Uncertainties, DoesNotListCredentialsOfADeclaredProject) {
  EXPECT_THAT(
      uncertainty("one", "two", "three",
                  testing::routing_domains("projects: [{name: p, provider: gcp, credentials: "
                                           "[garden-dev/two, garden-dev/three]}]")),
      EndsWith("(projects): garden-dev/one (the others belong to p)"));
}

}  // namespace uncertainty_test

}  // namespace overlane::overlap
