#include "topologies/overlap/sharing/uncertainty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/overlap/testing/landscapes.h"

namespace overlane::overlap {
namespace doubts_test {

using ::testing::EndsWith;
using testing::LocatedShoots;

std::string doubt(const std::string& a, const std::string& b, const std::string& c,
                  const std::string& declared = "") {
  const std::string networks = "vpc: {name: n}";
  const LocatedShoots located(
      testing::texts({{.name = "a", .networks = networks, .credentials = a},
                      {.name = "b", .networks = networks, .credentials = b},
                      {.name = "c", .networks = networks, .credentials = c}},
                     declared));
  return doubts(located.inventory, located.routing_scopes)["gcp/n"];
}

TEST(Doubts, SaysWhatWouldTellWhetherNetworksOfANameAreOne) {
  EXPECT_THAT(doubt("one", "two", "one"),
              EndsWith("which project these credentials lead: garden-dev/one, garden-dev/two"));
  EXPECT_THAT(doubt("one", "", "one"),
              EndsWith("lead: garden-dev/one; garden-dev/b names no credentials"));
  EXPECT_THAT(doubt("", "", ""),
              EndsWith("no manifest shows; garden-dev/a and others name no credentials"));
}

TEST(Doubts, CredentialsWhoseProjectIsDeclaredAreNotAskedFor) {
  EXPECT_THAT(doubt("one", "two", "three",
                    testing::routing_domains("projects: [{name: p, provider: gcp, credentials: "
                                             "[garden-dev/two, garden-dev/three]}]")),
              EndsWith("lead: garden-dev/one (the others lead into p)"));
}

}  // namespace doubts_test
}  // namespace overlane::overlap
