#include "sim/run/path/packets.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace fragments_test {

using namespace testing;

/// Datagrams of three fragments between the same two pods, of which some are lost.
TrafficGroup in_three_fragments(std::uint32_t flows) {
  TrafficGroup group = datagrams(1'000'000'000, 4000);
  group.dont_fragment = false;
  group.flows_per_pair = flows;
  return group;
}

TEST(Fragments, FlowsBetweenTheSamePodsDoNotGetEachOthers) {
  Network two_pods = network();
  for (node::NodeState& node : two_pods.nodes) {
    node::PacketFilter filter = *node.filter;
    filter.tracking = node::Tracking::Translated;
    node.filter = std::make_shared<const node::PacketFilter>(filter);
  }
  two_pods.limits.bandwidth =
      fabric::BandwidthAllowance{.baseline = {3'000'000'000}, .credits = {}};
  const Measurement result = measure(two_pods, {in_three_fragments(5), in_three_fragments(1)},
                                     {.duration = milliseconds(10)});
  for (const model::TrafficResult& traffic : result.traffic) {
    EXPECT_GT(traffic.drops[Drop::FabricQueueFull], 0);
    EXPECT_EQ(traffic.drops.total(), traffic.drops[Drop::FabricQueueFull]);
  }
}

// Numbers come round again while a packet waits for what was lost of it.
TEST(Fragments, AreBookedToWhoSentThem) {
  Accounts accounts(2, {});
  HeldFragments held(accounts);
  const HeldFragments::Place place = HeldFragments::at_node(0);
  const node::ReassemblyKey key{};
  for (const std::uint32_t group : {0u, 1u, 1u}) {
    accounts.sent(group);
    held.hold(place, key, Packet{.group = group});
  }
  std::vector<std::uint32_t> groups;
  held.list(groups);
  EXPECT_EQ(groups, (std::vector<std::uint32_t>{0, 1, 1}));
  held.complete(place, key);
  EXPECT_EQ(accounts.close({}), "");
  EXPECT_EQ(accounts.group(1).packets.delivered, 2);
}

}  // namespace fragments_test
}  // namespace overlane::run
