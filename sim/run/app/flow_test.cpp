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

}  // namespace overlane::run
