#include <malloc.h>

#include <gtest/gtest.h>

#include "dataplane/node/testing/cluster.h"

namespace overlane::node {
namespace node_memory_test {

TEST(NodeState, FiveThousandNodesWithARouteToEachOtherFitIn200MB) {
  const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  const auto cluster = testing::make_cluster(
      {.encapsulation = Encapsulation::Ipip, .nodes = 5000, .pods_per_node = 110});
  const std::size_t bytes = mallinfo2().uordblks + mallinfo2().hblkhd - before;
  if (bytes == 0) GTEST_SKIP() << "this allocator does not tell what it holds";
  RecordProperty("bytes", std::to_string(bytes));
  ASSERT_EQ(cluster.nodes.size(), 5000u);
  EXPECT_EQ(lookup(cluster.nodes[0], testing::pod(4999))->peer->name, "node-5000");
  EXPECT_GE(main_table(cluster.nodes[17]).size(), 4999u);
  EXPECT_LT(bytes, 200'000'000u);
}

}  // namespace node_memory_test
}  // namespace overlane::node
