#include "topologies/overlap/inventory/unmodelled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
}  // namespace overlane::overlap
