#include "dataplane/reference/table_index.h"

#include <gtest/gtest.h>

#include "dataplane/node/state/world.h"
#include "dataplane/node/testing/cluster.h"
#include "dataplane/reference/linear_tables.h"
#include "dataplane/reference/testing/random_world.h"

namespace overlane::reference {
namespace table_index_test {

using node::testing::net;

std::vector<std::uint32_t> numbers(const Candidates& candidates) {
  std::vector<std::uint32_t> list;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    list.push_back(candidates[i]);
  return list;
}

TEST(PrefixIndex, HasTheEntriesWhosePrefixesContainAnAddress) {
  using Numbers = std::vector<std::uint32_t>;
  PrefixIndex index;
  index.add(net("10.1.0.0/16"), 7);
  index.add(net("10.0.0.0/8"), 9);
  index.add(net("10.1.2.3/32"), 1);
  index.add(net("10.1.2.0/24"), 7);
  index.add(net("::/0"), 4);
  index.add(net("fd00:1::/32"), 2);
  const auto found = [&](const char* address) {
    return numbers(index.candidates(node::testing::ip(address)));
  };
  EXPECT_EQ(found("10.1.2.3"), (Numbers{1, 7, 9})) << "each once, in the order of the table";
  EXPECT_EQ(found("10.2.0.1"), (Numbers{9}));
  EXPECT_EQ(found("11.0.0.1"), (Numbers{})) << "::/0 contains no IPv4 address";
  EXPECT_EQ(found("fd00:1::5"), (Numbers{2, 4}));
}

bool are_equal(const FoundRoute& a, const FoundRoute& b) {
  return a.length == b.length && a.route == b.route && a.pod == b.pod;
}

/// Expects that lookups with an index have the results of scans.
void expect_no_difference(const node::testing::Cluster& cluster,
                          const std::vector<IpAddress>& addresses) {
  const FabricIndex fabric(cluster.fabric);
  for (const IpAddress address : addresses) {
    for (const node::NodeState& state : cluster.nodes) {
      const PrefixIndex members = index_of(*state.cluster);
      EXPECT_TRUE(are_equal(find_route(state, address), find_route(state, address, &members)))
          << address.to_string() << " in\n"
          << to_string(state);
    }
    EXPECT_EQ(find_instance(cluster.fabric, address),
              find_instance(cluster.fabric, address, &fabric));
    for (std::uint32_t i = 0; i < cluster.fabric.instances.size(); ++i)
      EXPECT_EQ(find_route(cluster.fabric, i, address),
                find_route(cluster.fabric, i, address, &fabric));
  }
}

TEST(TableIndex, LookupsFindWhatScansFindInRandomStates) {
  for (std::uint64_t seed = 1; seed <= 200 && !::testing::Test::HasFailure(); ++seed) {
    testing::RandomWorld world(seed);
    const node::testing::Cluster cluster = world.cluster();
    std::vector<IpAddress> addresses;
    for (int i = 0; i < 20; ++i) {
      const forward::Packet packet = world.packet(true);
      addresses.push_back(packet.inner.source);
      addresses.push_back(packet.inner.destination);
      if (packet.is_encapsulated()) addresses.push_back(packet.outer.source);
    }
    expect_no_difference(cluster, addresses);
  }
}

TEST(TableIndex, LookupsFindWhatScansFindAmongOverlappingPodCidrs) {
  node::testing::Cluster cluster = node::testing::make_cluster({.nodes = 3});
  auto table = std::make_shared<node::ClusterTable>(*cluster.nodes[0].cluster);
  for (const char* pod_cidr : {"100.96.2.0/24", "100.96.2.0/26", "100.96.0.0/16"})
    table->add({.name = pod_cidr,
                .ipv4 = node::MemberAddresses{.node = node::testing::ip("10.250.9.9"),
                                              .pod_cidr = net(pod_cidr)}});
  for (node::NodeState& state : cluster.nodes)
    state.cluster = table;
  std::vector<IpAddress> addresses;
  for (std::uint32_t i = 0; i < 1'024; ++i)
    addresses.push_back(node::testing::ip("100.96.0.0") + i);
  expect_no_difference(cluster, addresses);
}

TEST(TableIndices, AreBuiltForStatesThatAreAskedAboutOften) {
  node::testing::Cluster cluster = node::testing::make_cluster({.nodes = 3});
  TableIndices indices;
  const auto is_indexed_after = [&](int uses) {
    for (int i = 0; i < uses; ++i) {
      EXPECT_EQ(indices.of(cluster.nodes[0].cluster), nullptr);
      EXPECT_EQ(indices.of(cluster.fabric), nullptr);
    }
    return indices.of(cluster.nodes[1].cluster) != nullptr && indices.of(cluster.fabric) != nullptr;
  };
  EXPECT_TRUE(is_indexed_after(TableIndices::kMinUses));
  // Both states change: what was indexed is no longer valid.
  cluster.nodes[0].cluster = std::make_shared<node::ClusterTable>(*cluster.nodes[0].cluster);
  cluster.nodes[1].cluster = cluster.nodes[0].cluster;
  ASSERT_TRUE(node::FabricEditor(cluster.fabric).remove_route(0, node::testing::pod_cidr(1)));
  EXPECT_TRUE(is_indexed_after(TableIndices::kMinUses));
  EXPECT_EQ(find_route(cluster.fabric, 0, node::testing::pod(1)),
            find_route(cluster.fabric, 0, node::testing::pod(1), indices.of(cluster.fabric)));
}

}  // namespace table_index_test
}  // namespace overlane::reference
