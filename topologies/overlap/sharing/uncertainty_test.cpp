#include "topologies/overlap/sharing/uncertainty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {
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
