#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/kernel/testing/joined_namespaces.h"
#include "dataplane/kernel/traffic/carry.h"
#include "results/base/testing/measured_on_time.h"

namespace overlane::kernel {
namespace carry_root_test {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Truly;

constexpr FlowTimes kShort{.warm_up = milliseconds(100), .counted = milliseconds(200)};

class Carry : public testing::JoinedNamespaces {
 protected:
  Flow flow(const FlowLoad& load) const {
    return {.load = load,
            .client = {&*near_, near_address_},
            .server = {&*far_, far_address_},
            .port = 5201};
  }
  /// The figures of one flow, which must not fail.
  FlowFigures carried(const FlowLoad& load) const {
    const auto done = carry(std::vector{flow(load)}, kShort, stop_);
    EXPECT_TRUE(done) << done.error();
    EXPECT_EQ(done->flows.at(0).failure, "");
    return done->flows.at(0);
  }

  std::atomic<bool> stop_{false};
};

TEST_F(Carry, AStreamArrives) {
  const auto right = Field(&FlowFigures::received_bytes, Gt(1'000'000));
  EXPECT_THAT(measured_on_time([&] { return carried({.kind = FlowKind::Stream}); }, right), right);
}

/// The kernel's `ss` names the congestion control of both ends of a running stream.
TEST_F(Carry, AStreamHasTheCongestionControlOfItsLoad) {
  for (const std::string control : {"cubic", "reno"}) {
    auto traffic =
        Traffic::prepare({flow({.kind = FlowKind::Stream, .congestion_control = control})});
    ASSERT_TRUE(traffic) << traffic.error();
    traffic->run(kShort, [] { return false; });
    for (const NetworkNamespace* end : {&*near_, &*far_}) {
      const Inside inside(*end);
      const auto sockets = run_program({"ss", "-tinO", "state", "established"}, "");
      ASSERT_TRUE(sockets) << sockets.error();
      EXPECT_THAT(sockets->output, HasSubstr(" " + control + " "));
    }
    EXPECT_EQ(traffic->finish().flows.at(0).failure, "");
  }
}

TEST_F(Carry, ACongestionControlThatTheKernelLacksIsAnError) {
  const auto refused =
      Traffic::prepare({flow({.kind = FlowKind::Stream, .congestion_control = "no-such-control"})});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), HasSubstr("congestion control no-such-control"));
}

TEST_F(Carry, DatagramsKeepTheirRateAndTellTheirLatency) {
  for (const bool poisson : {false, true}) {
    // 200 datagrams in the counted time. With random gaps, the standard deviation is the square
    // root.
    const auto right = Field(&FlowFigures::sent_messages, within(poisson ? 60 : 20, 200));
    const auto arrived = Truly([](const FlowFigures& figures) {
      return std::abs(figures.received_messages - figures.sent_messages) <= 5;
    });
    const FlowFigures figures = measured_on_time(
        [&] {
          return carried({.kind = FlowKind::Datagrams,
                          .payload_bytes = 100,
                          .per_second = 1000,
                          .poisson = poisson});
        },
        AllOf(right, arrived));
    EXPECT_THAT(figures, right);
    EXPECT_THAT(figures.received_messages, within(5, figures.sent_messages));
    EXPECT_EQ(figures.received_bytes, 100 * figures.received_messages);
    EXPECT_THAT(figures.latency_ns.count(), within(5, figures.received_messages));
    EXPECT_GT(figures.latency_ns.min(), 0);
  }
}

TEST_F(Carry, RequestsAreAnsweredOverTcpAndUdp) {
  const auto right = Field(&FlowFigures::received_messages, Gt(20));
  for (const bool udp : {false, true}) {
    for (const bool each : {false, true}) {
      if (udp && each) continue;
      const FlowFigures figures = measured_on_time(
          [&] {
            return carried({.kind = FlowKind::Requests,
                            .over_udp = udp,
                            .connection_each = each,
                            .request_bytes = 64,
                            .response_bytes = 2000});
          },
          right);
      EXPECT_THAT(figures, right) << udp << each;
      EXPECT_EQ(figures.received_bytes, 2064 * figures.received_messages);
      EXPECT_GT(figures.latency_ns.quantile(1, 2), 1000);
    }
  }
}

TEST_F(Carry, AnOpenLoopKeepsItsRateAndAClosedOneItsThinkTime) {
  const auto open = Field(&FlowFigures::received_messages, within(10, 100));
  EXPECT_THAT(measured_on_time(
                  [&] { return carried({.kind = FlowKind::Requests, .per_second = 500}); }, open),
              open);
  const auto closed = Field(&FlowFigures::received_messages, within(4, 19));
  EXPECT_THAT(
      measured_on_time(
          [&] { return carried({.kind = FlowKind::Requests, .think_time = milliseconds(10)}); },
          closed),
      closed);
}

TEST_F(Carry, AFlowThatDoesNotGetThroughSaysSo) {
  // The server's namespace does not have that address.
  Flow lost = flow({.kind = FlowKind::Stream});
  run(*near_, {"route add blackhole 10.0.9.0/24"});
  lost.server.address = *IpAddress::parse("10.0.9.9");
  const auto refused = carry(std::vector{lost}, kShort, stop_);
  EXPECT_FALSE(refused) << "no server can be there";

  Flow silent = flow({.kind = FlowKind::Stream});
  configure(*far_, {{Program::Iptables, "-A INPUT -p tcp -j DROP", "filter"}});
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
