#include <cstdlib>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/kernel/traffic/carry.h"

namespace overlane::kernel {
namespace carry_root_test {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr FlowTimes kShort{.warm_up = milliseconds(100), .counted = milliseconds(200)};

/// Two namespaces joined by a veth pair.
class Carry : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::vector<Command> commands = {
        {Program::Ip, "link add eth0 type veth peer name eth0 netns world"},
        {Program::Ip, "address add 10.0.0.1/24 dev eth0"},
        {Program::Ip, "link set eth0 up"}};
    const std::vector<Command> far_commands = {{Program::Ip, "address add 10.0.0.2/24 dev eth0"},
                                               {Program::Ip, "link set eth0 up"}};
    ASSERT_TRUE(near_ && far_) << near_.error();
    ASSERT_TRUE(run_commands(commands, *near_, *far_));
    ASSERT_TRUE(run_commands(far_commands, *far_, *near_));
    ASSERT_TRUE(wait_until_running(*near_, "eth0"));
  }

  Flow flow(const FlowLoad& load) const {
    return {.load = load,
            .client = {&*near_, *IpAddress::parse("10.0.0.1")},
            .server = {&*far_, *IpAddress::parse("10.0.0.2")},
            .port = 5201};
  }
  FlowFigures carried(const FlowLoad& load) const {
    const auto done = carry(std::vector{flow(load)}, kShort, stop_);
    EXPECT_TRUE(done) << done.error();
    return done->flows.at(0);
  }

  /// A busy machine may stop a thread for longer than a flow lasts: the first of twenty flows whose
  /// figures are right, or the last.
  FlowFigures carried_on_time(const FlowLoad& load,
                              const std::function<bool(const FlowFigures&)>& is_right) const {
    FlowFigures figures = carried(load);
    for (int i = 1; i < 20 && !is_right(figures); ++i)
      figures = carried(load);
    return figures;
  }

  Parsed<NetworkNamespace> near_ = NetworkNamespace::make(), far_ = NetworkNamespace::make();
  std::atomic<bool> stop_{false};
};

TEST_F(Carry, AStreamArrives) {
  const FlowFigures figures = carried({.kind = FlowKind::Stream});
  EXPECT_EQ(figures.failure, "");
  EXPECT_GT(figures.received_bytes, 1'000'000);
}

TEST_F(Carry, DatagramsKeepTheirRateAndTellTheirLatency) {
  for (const bool poisson : {false, true}) {
    // 200 datagrams in the counted time. With random gaps, the standard deviation is the square
    // root.
    const std::int64_t off = poisson ? 60 : 20;
    const FlowFigures figures = carried_on_time(
        {.kind = FlowKind::Datagrams, .payload_bytes = 100, .per_second = 1000, .poisson = poisson},
        [&](const FlowFigures& carried) {
          return std::abs(carried.sent_messages - 200) <= off &&
                 std::abs(carried.received_messages - carried.sent_messages) <= 5;
        });
    EXPECT_EQ(figures.failure, "");
    EXPECT_NEAR(static_cast<double>(figures.sent_messages), 200, static_cast<double>(off));
    EXPECT_NEAR(static_cast<double>(figures.received_messages),
                static_cast<double>(figures.sent_messages), 5);
    EXPECT_EQ(figures.received_bytes, 100 * figures.received_messages);
    EXPECT_NEAR(static_cast<double>(figures.latency_ns.count()),
                static_cast<double>(figures.received_messages), 5);
    EXPECT_GT(figures.latency_ns.min(), 0);
  }
}

TEST_F(Carry, RequestsAreAnsweredOverTcpAndUdp) {
  for (const bool udp : {false, true}) {
    for (const bool each : {false, true}) {
      if (udp && each) continue;
      const FlowFigures figures = carried({.kind = FlowKind::Requests,
                                           .over_udp = udp,
                                           .connection_each = each,
                                           .request_bytes = 64,
                                           .response_bytes = 2000});
      EXPECT_EQ(figures.failure, "") << udp << each;
      EXPECT_GT(figures.received_messages, 20);
      EXPECT_EQ(figures.received_bytes, 2064 * figures.received_messages);
      EXPECT_GT(figures.latency_ns.quantile(1, 2), 1000);
    }
  }
}

TEST_F(Carry, AnOpenLoopKeepsItsRateAndAClosedOneItsThinkTime) {
  const FlowFigures open = carried_on_time(
      {.kind = FlowKind::Requests, .per_second = 500},
      [](const FlowFigures& carried) { return std::abs(carried.received_messages - 100) <= 10; });
  EXPECT_NEAR(static_cast<double>(open.received_messages), 100, 10);
  const FlowFigures closed = carried_on_time(
      {.kind = FlowKind::Requests, .think_time = milliseconds(10)},
      [](const FlowFigures& carried) { return std::abs(carried.received_messages - 19) <= 4; });
  EXPECT_NEAR(static_cast<double>(closed.received_messages), 19, 4);
}

TEST_F(Carry, AFlowThatDoesNotGetThroughSaysSo) {
  // The server's namespace does not have that address.
  Flow lost = flow({.kind = FlowKind::Stream});
  ASSERT_TRUE(run_commands(std::vector<Command>{{Program::Ip, "route add blackhole 10.0.9.0/24"}},
                           *near_, *far_));
  lost.server.address = *IpAddress::parse("10.0.9.9");
  const auto refused = carry(std::vector{lost}, kShort, stop_);
  EXPECT_FALSE(refused) << "no server can be there";

  Flow silent = flow({.kind = FlowKind::Stream});
  ASSERT_TRUE(
      run_commands(std::vector<Command>{{Program::Iptables, "-A INPUT -p tcp -j DROP", "filter"}},
                   *far_, *near_));
  const auto waited = carry(std::vector{silent}, kShort, stop_);
  ASSERT_TRUE(waited) << waited.error();
  EXPECT_THAT(waited->flows.at(0).failure, HasSubstr("10.0.0.2 port 5201"));
}

TEST_F(Carry, ManyFlowsShareTheTime) {
  std::vector<Flow> flows;
  for (std::uint16_t i = 0; i < 8; ++i) {
    flows.push_back(flow({.kind = i % 2 == 0 ? FlowKind::Stream : FlowKind::Requests}));
    flows.back().port = static_cast<std::uint16_t>(6000 + i);
    flows.back().client.cpu = 0;
  }
  const auto done = carry(flows, kShort, stop_);
  ASSERT_TRUE(done) << done.error();
  for (const FlowFigures& figures : done->flows) {
    EXPECT_EQ(figures.failure, "");
    EXPECT_GT(figures.received_bytes, 0);
  }
  EXPECT_GE(done->flows.at(0).counted, kShort.counted);
  EXPECT_GT(done->cpu.busy(), 0);
}

}  // namespace carry_root_test
}  // namespace overlane::kernel
