#include "sim/cost/path_cost.h"

#include <gtest/gtest.h>

namespace overlane::cost {
namespace {

TEST(PathCosts, AreTheSumsOfTheStagesOnTheWay) {
  CostProfile profile{.name = "powers", .stages = {}};
  for (std::size_t i = 0; i < kStageCount; ++i)
    profile.stages[i].per_skb = picoseconds(std::int64_t{1} << i);
  const auto bit = [](Stage stage) { return std::int64_t{1} << static_cast<int>(stage); };
  const PathCosts costs(profile);
  const std::int64_t to_nic = bit(Stage::SocketSend) + bit(Stage::Veth) + bit(Stage::Netfilter) +
                              bit(Stage::Fib) + bit(Stage::DriverSend);
  const std::int64_t to_pod =
      bit(Stage::NapiReceive) + bit(Stage::Netfilter) + bit(Stage::Fib) + bit(Stage::Veth);
  EXPECT_EQ(costs.send(Encapsulation::None).per_skb.count, to_nic);
  EXPECT_EQ(costs.send(Encapsulation::Ipip).per_skb.count, to_nic + bit(Stage::EncapIpip));
  EXPECT_EQ(costs.send(Encapsulation::Vxlan).per_skb.count, to_nic + bit(Stage::EncapVxlan));
  EXPECT_EQ(costs.receive(Encapsulation::None).per_skb.count, to_pod);
  EXPECT_EQ(costs.receive(Encapsulation::Ipip).per_skb.count, to_pod + bit(Stage::DecapIpip));
  EXPECT_EQ(costs.receive(Encapsulation::Vxlan).per_skb.count, to_pod + bit(Stage::DecapVxlan));
  EXPECT_EQ(costs.socket().per_skb.count, bit(Stage::SocketReceive));
}

TEST(PathCosts, ASharedBufferSplitsItsOwnCostOnly) {
  const StageCost cost{nanoseconds(1600), nanoseconds(300), picoseconds(100)};
  EXPECT_EQ(time_of(cost, 1000, 1), nanoseconds(1600 + 300 + 100));
  EXPECT_EQ(time_of(cost, 1000, 16), nanoseconds(100 + 300 + 100));
}

TEST(CostProfile, StagesAreListedInTheirOwnOrder) {
  for (std::size_t i = 0; i < kStageCount; ++i)
    EXPECT_EQ(static_cast<std::size_t>(kStages[i].stage), i);
}

}  // namespace
}  // namespace overlane::cost
