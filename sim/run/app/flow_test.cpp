#include "sim/run/app/flow.h"

#include <vector>

#include <gtest/gtest.h>

#include "sim/transport/testing/tcp_pair.h"

namespace overlane::run {
namespace tracked_flags_test {

using node::Direction;
using node::TcpState;

/// Where a node that sees all segments of a connection believes it to be.
TcpState seen(const transport::TcpPair& tcp) {
  TcpState state = TcpState::None;
  for (const auto& sent : tcp.log) {
    const node::TcpStep step =
        node::tcp_step(state, sent.from_client ? Direction::Original : Direction::Reply,
                       tracked_flags(sent.segment));
    EXPECT_NE(step.kind, node::TcpStep::Kind::Invalid);
    if (step.kind == node::TcpStep::Kind::Move) state = step.state;
  }
  return state;
}

TEST(TrackedFlags, TellANodeOnTheWayHowFarAConnectionIs) {
  transport::TcpPair tcp({}, {}, milliseconds(5));
  tcp.client.open(Picos{});
  tcp.run_for(milliseconds(1));
  EXPECT_EQ(seen(tcp), TcpState::SynSent);
  tcp.run_for(milliseconds(5));
  EXPECT_EQ(seen(tcp), TcpState::SynRecv);
  tcp.client.write(1'000);
  tcp.run_for(milliseconds(50));
  EXPECT_EQ(seen(tcp), TcpState::Established);
  tcp.client.close();
  tcp.run_for(milliseconds(50));
  EXPECT_EQ(seen(tcp), TcpState::CloseWait) << "the other side has not closed";
  tcp.server.close();
  tcp.run_for(milliseconds(50));
  EXPECT_EQ(seen(tcp), TcpState::TimeWait);
}

}  // namespace tracked_flags_test

namespace endpoint_timers_test {

using transport::kNever;

/// The timers of one client of datagrams.
struct Client {
  FlowTable table;
  core::Scheduler scheduler;
  EndpointTimers timers{table, scheduler};

  Client() {
    table.flows.emplace_back(Flow{.random = RandomStream(1, StreamUse::SendJitter, 0)});
    table.servers.emplace_back();
  }
  void arm(Picos turn) {
    table.timers(0).turn = turn;
    timers.arm(0);
  }
  /// Times of the events that the endpoint needs, until no event is left.
  std::vector<Picos> needed() {
    std::vector<Picos> times;
    core::Event event;
    while (scheduler.next(seconds(1), event)) {
      if (!timers.take(0)) continue;
      if (table.timers(0).turn <= scheduler.now()) {
        times.push_back(scheduler.now());
        table.timers(0).turn = kNever;
      }
      timers.arm(0);
    }
    return times;
  }
};

TEST(EndpointTimers, ATurnHasOneEvent) {
  Client client;
  client.arm(microseconds(10));
  client.arm(microseconds(10));
  EXPECT_EQ(client.needed(), std::vector{microseconds(10)});
  EXPECT_EQ(client.scheduler.events(), 1);
}

TEST(EndpointTimers, AnEarlierTurnLeavesASpareEventThatIsUsedAgain) {
  Client client;
  client.arm(microseconds(20));
  client.arm(microseconds(10));
  core::Event event;
  ASSERT_TRUE(client.scheduler.next(seconds(1), event));
  ASSERT_TRUE(client.timers.take(0));
  client.arm(microseconds(30));
  EXPECT_EQ(client.needed(), std::vector{microseconds(30)});
  EXPECT_EQ(client.scheduler.events(), 3) << "the event at 20 µs schedules the one at 30 µs";
}

TEST(EndpointTimers, AnEventThatIsNoLongerNeededIsIgnored) {
  Client client;
  client.arm(microseconds(20));
  client.arm(microseconds(10));
  EXPECT_EQ(client.needed(), std::vector{microseconds(10)});
  EXPECT_EQ(client.scheduler.events(), 2);
}

TEST(EndpointTimers, WithoutATurnThereIsNoEvent) {
  Client client;
  client.arm(kNever);
  EXPECT_EQ(client.scheduler.next_time(), kNever);
}

}  // namespace endpoint_timers_test
}  // namespace overlane::run
