#include "sim/run/limits/run_inputs.h"

#include <gtest/gtest.h>

#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace setting_test {

using namespace testing;
using Kind = Parameter::Kind;

const RunOptions kOptions{.duration = milliseconds(40), .warm_up = milliseconds(15)};

std::int64_t goodput(const RunInputs& setting) {
  return measure(setting.network, setting.traffic, kOptions).traffic[0].goodput_bps;
}

/// Goodput with `constant` moved over that without, in thousandths.
std::int64_t permille(const RunInputs& setting, const Parameter& constant) {
  RunInputs moved = setting;
  perturb(moved, constant);
  return goodput(moved) * 1000 / goodput(setting);
}

std::vector<Parameter> named(const RunInputs& setting) {
  return measure(setting.network, setting.traffic, kOptions).behind_limits.at(0);
}

RunInputs with_costs(std::vector<TrafficGroup> traffic) {
  RunInputs setting{testing::network(), std::move(traffic)};
  for (host::Machine& machine : setting.network.machines)
    machine.nic_rate = {100'000'000'000};
  setting.network.costs = only(cost::Stage::NapiReceive, {.per_packet = microseconds(2)});
  (*setting.network.costs)[cost::Stage::SocketSend].per_packet = picoseconds(300'000);
  return setting;
}

TEST(RunInputs, TheRateThatLimitsIsWorthATenth) {
  const RunInputs setting{testing::network(), {bulk()}};
  ASSERT_EQ(named(setting), (std::vector<Parameter>{{Kind::NicRate, 0}}));
  EXPECT_EQ(name_of({Kind::NicRate, 0}, setting), "machine.nic");
  EXPECT_EQ(value_of({Kind::NicRate, 0}, setting), "10 Gbit/s");
  EXPECT_PRED3(near, permille(setting, {Kind::NicRate, 0}), 1100, 5);
}

TEST(RunInputs, AConstantThatIsNotTheLimitIsWorthNothing) {
  const RunInputs setting{testing::network(), {bulk()}};
  EXPECT_EQ(permille(setting, {Kind::Window, 0}), 1000);
  EXPECT_PRED3(near, permille(setting, {Kind::PathLatency}), 1000, 1);
  const RunInputs sent{testing::network(), {datagrams(1'000'000'000, 1000)}};
  ASSERT_EQ(named(sent), (std::vector<Parameter>{{Kind::DatagramRate, 0}, {Kind::PathLatency}}));
  EXPECT_EQ(permille(sent, {Kind::PathLatency}), 1000) << "of goodput; it is worth latency";
  EXPECT_EQ(permille(sent, {Kind::NicRate, 0}), 1000);
  EXPECT_EQ(permille(sent, {Kind::QueueRoom}), 1000);
  EXPECT_PRED3(near, permille(sent, {Kind::DatagramRate, 0}), 1100, 2);
}

TEST(RunInputs, LossLimitsAStreamAndATenthLessIsWorthSomething) {
  RunInputs setting{testing::network(), {bulk()}};
  setting.network.paths.within_zone = milliseconds(1);
  setting.network.paths.loss = {.within_zone = fabric::Loss::kAll / 100};
  ASSERT_EQ(named(setting),
            (std::vector<Parameter>{{Kind::QueueRoom}, {Kind::PathLatency}, {Kind::Loss}}));
  EXPECT_EQ(name_of({Kind::Loss}, setting), "loss");
  EXPECT_EQ(value_of({Kind::Loss}, setting), "1 % within a zone, 0 % across");
  perturb(setting, {Kind::Loss});
  EXPECT_EQ(value_of({Kind::Loss}, setting), "0.9 % within a zone, 0 % across");
}

TEST(RunInputs, AllConstantsAreThoseThatTheSettingHas) {
  RunInputs setting = with_costs({datagrams(8'000'000, 1000), requests()});
  setting.network.limits.single_flow = BitsPerSecond{5'000'000'000};
  setting.traffic[1].think_time = milliseconds(1);
  const std::vector<Parameter> stages = stage_costs(setting.network);
  const std::vector<Parameter> others = {
      {Kind::NicRate},         {Kind::QueueRoom}, {Kind::PathLatency}, {Kind::SingleFlowCap},
      {Kind::DatagramRate, 0}, {Kind::Window, 1}, {Kind::ThinkTime, 1}};
  std::vector<Parameter> all = stages;
  all.insert(all.end(), others.begin(), others.end());
  EXPECT_EQ(all_constants(setting.network, setting.traffic), all);
  setting.network.wire = cost::Wire::Veth;
  EXPECT_EQ(all_constants(setting.network, setting.traffic).size(), all.size() - 3)
      << "no NIC, no way";
}

TEST(RunInputs, OfTheStagesOfACoreTheOneThatLimitsIsWorthSomething) {
  const RunInputs setting = with_costs({datagrams(8'000'000'000, 1000)});
  const std::vector<Parameter> stages = named(setting);
  ASSERT_EQ(stages, stage_costs(setting.network));
  ASSERT_EQ(stages.size(), 2u);
  for (const Parameter& stage : stages) {
    const bool limits = name_of(stage, setting) == "stage napi-receive";
    EXPECT_PRED3(near, permille(setting, stage), limits ? 1111 : 1000, 2)
        << name_of(stage, setting);
  }
}

TEST(RunInputs, AWindowThatLimitsIsWorthATenthAndSoIsTheWay) {
  RunInputs setting{testing::network(), {bulk()}};
  setting.network.paths.within_zone = microseconds(500);
  setting.traffic[0].window_bytes = 64 * 1024;
  ASSERT_EQ(named(setting), (std::vector<Parameter>{{Kind::Window, 0}, {Kind::PathLatency}}));
  EXPECT_PRED3(near, permille(setting, {Kind::Window, 0}), 1090, 20);
  EXPECT_GT(permille(setting, {Kind::PathLatency}), 1050);
  EXPECT_PRED3(near, permille(setting, {Kind::NicRate, 0}), 1000, 10);
}

TEST(RunInputs, OneRequestAtATimeIsWorthWhatTheWayIs) {
  RunInputs setting{testing::network(), {requests()}};
  setting.traffic[0].think_time = microseconds(100);
  ASSERT_EQ(named(setting), (std::vector<Parameter>{{Kind::ThinkTime, 0}, {Kind::PathLatency}}));
  EXPECT_EQ(value_of({Kind::ThinkTime, 0}, setting), "100 µs");
  EXPECT_GT(permille(setting, {Kind::ThinkTime, 0}), 1040);
  EXPECT_GT(permille(setting, {Kind::PathLatency}), 1010);
}

TEST(RunInputs, EveryConstantHasANameAndAValueThatMoves) {
  RunInputs setting = with_costs({bulk()});
  setting.network.limits = {.single_flow = BitsPerSecond{5'000'000'000},
                            .bandwidth = fabric::BandwidthAllowance{{1'000'000'000}, {1000}},
                            .packets = fabric::PacketAllowance{.per_second = 1000}};
  setting.network.paths.racks = fabric::Racks{.uplink = {1'000'000'000}};
  setting.traffic[0].rate = {1'000'000};
  setting.traffic[0].think_time = milliseconds(20);
  for (const Parameter constant :
       {Parameter{Kind::NicRate}, Parameter{Kind::QueueRoom}, Parameter{Kind::PathLatency},
        stage_costs(setting.network).at(0), Parameter{Kind::Window}, Parameter{Kind::DatagramRate},
        Parameter{Kind::ThinkTime}, Parameter{Kind::SingleFlowCap}, Parameter{Kind::Baseline},
        Parameter{Kind::PacketRate}, Parameter{Kind::UplinkRate}}) {
    RunInputs moved = setting;
    perturb(moved, constant);
    EXPECT_FALSE(name_of(constant, setting).empty());
    EXPECT_EQ(name_of(constant, moved), name_of(constant, setting));
    EXPECT_NE(value_of(constant, moved), value_of(constant, setting)) << name_of(constant, setting);
  }
}

}  // namespace setting_test
}  // namespace overlane::run
