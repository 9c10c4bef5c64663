#include "topologies/overlap/inventory/inventory.h"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/overlap/inventory/routing_scope.h"
#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {

namespace unmodelled_test {

using testing::ShootText;

TEST(Unmodelled, NamesShootsOfUnknownProviders) {
  std::vector<ShootText> shoots(8, {.provider = "vsphere"});
  for (std::size_t i = 1; i < shoots.size(); ++i)
    shoots[i].name = std::string(1, static_cast<char>('a' + i));
  shoots.push_back({.name = "x", .provider = "ironcore"});
  shoots.push_back({.name = "y", .provider = "gcp"});
  const Findings findings = testing::read(testing::texts(shoots)).findings;
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].rule, "network-not-modelled");
  EXPECT_EQ(findings[0].message,
            "ironcore: shared networks of this provider are not modelled; 1 shoot is compared "
            "with others only over declared connections: garden-dev/x");
  EXPECT_THAT(
      findings[1].message,
      ::testing::EndsWith("8 shoots are compared with others only over declared "
                          "connections: garden-dev/a, garden-dev/b, garden-dev/c, garden-dev/d, "
                          "garden-dev/e, 3 more"));
}

}  // namespace unmodelled_test

namespace landscape_names_test {

using testing::routing_domains;
using testing::ShootText;

Landscape landscape(const std::string& name, const std::string& yaml) {
  return {name, document::parse(yaml, name + ".yaml"), {}};
}

/// What declares the file of --domains, which is no landscape's.
std::vector<domains::DeclarationFile> global(const std::string& yaml) {
  if (yaml.empty()) return {};
  return *domains::decode_all(document::parse(yaml, "domains.yaml"));
}

struct Row {
  const char* because;
  std::string in_live;    ///< Declared among the documents of the landscape "live" …
  std::string in_stage;   ///< … of "stage" …
  std::string elsewhere;  ///< … and by --domains.
  bool one_network = false;
  bool missing_shoot = false;
};

std::string project(const std::string& name, const std::string& credentials) {
  return "projects: [{name: " + name + ", provider: gcp, credentials: [" + credentials + "]}]";
}

/// Two landscapes with the same credentials and the same network's name, which may be two.
TEST(LandscapeNames, QualifyShootsAndCredentials) {
  const std::string with_shoot = "networks: [{shoot: garden-dev/a, routeQuota: 7}]";
  const std::string with_live_shoot = "networks: [{shoot: 'live:garden-dev/a', routeQuota: 7}]";
  const Row rows[] = {
      {"secrets of one name are two", "", "", "", false},
      {"both are said to lead into one project", "", "",
       routing_domains(project("p", "'live:garden-dev/main', 'stage:garden-dev/main'")), true},
      {"without a landscape the name is nobody's", "", "",
       routing_domains(project("p", "garden-dev/main")), false},
      {"each landscape says it of its own", routing_domains(project("p", "garden-dev/main")),
       routing_domains(project("q", "garden-dev/main")), "", false},
      {"a landscape's own document means its shoots", routing_domains(with_shoot), "", "", false},
      {"another's does not name them", "", "", routing_domains(with_live_shoot), false},
      {"a name without its landscape", "", "", routing_domains(with_shoot), false, true},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.because);
    const ShootText text{.networks = "vpc: {name: shared}, workers: 10.250.0.0/16",
                         .credentials = "main"};
    std::vector<Landscape> landscapes;
    landscapes.push_back(landscape("live", testing::texts({text}, row.in_live)));
    landscapes.push_back(landscape("stage", testing::texts({text}, row.in_stage)));
    ReadOptions options{.declared = global(row.elsewhere), .threads = 1};
    const Inventory inventory = LandscapeReader(std::move(landscapes), std::move(options)).read();
    ASSERT_EQ(inventory.shoots.size(), 2u);
    EXPECT_EQ(inventory.shoots[0].name(), "live:garden-dev/a");
    EXPECT_EQ(inventory.shoots[0].network.credentials, "live:garden-dev/main");
    const RoutingScopes routing_scopes = locate(inventory);
    EXPECT_EQ(routing_scopes.shoots[0].network == routing_scopes.shoots[1].network,
              row.one_network);
    EXPECT_EQ(routing_scopes.shoots[0].domain, routing_scopes.shoots[1].domain) << "possibly one";
    EXPECT_EQ(!routing_scopes.findings.empty(), row.missing_shoot);
    for (const Finding& finding : routing_scopes.findings) {
      EXPECT_EQ(finding.rule, "declared-shoot-missing");
      EXPECT_EQ(finding.hint, "qualify it by its landscape: live:garden-dev/a");
    }
    if (!inventory.declared.networks.empty() && !row.missing_shoot) {
      EXPECT_EQ(routing_scopes.networks[0].network, routing_scopes.shoots[0].network);
    }
  }
}

}  // namespace landscape_names_test

}  // namespace overlane::overlap
