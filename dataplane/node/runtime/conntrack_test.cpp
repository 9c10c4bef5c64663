#include "dataplane/node/runtime/conntrack.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/node/testing/connections.h"
#include "sim/random/stream.h"

namespace overlane::node {

namespace conntrack_test {

using namespace testing;

TEST(Conntrack, FollowsATcpConnectionToItsEnd) {
  struct Row {
    Direction direction;
    std::uint8_t flags;
    TrackState state;
    TcpState tcp;
    Picos life;
  };
  const auto original = Direction::Original;
  const auto reply = Direction::Reply;
  const auto established = TrackState::Established;
  const Row rows[] = {
      {original, kSyn, TrackState::New, TcpState::SynSent, seconds(120)},
      {reply, kSynAck, established, TcpState::SynRecv, seconds(60)},
      {original, kAck, established, TcpState::Established, seconds(432'000)},
      {reply, kAck, established, TcpState::Established, seconds(432'000)},
      {original, kFinAck, established, TcpState::FinWait, seconds(120)},
      {reply, kAck, established, TcpState::CloseWait, seconds(60)},
      {reply, kFinAck, established, TcpState::LastAck, seconds(30)},
      {original, kAck, established, TcpState::TimeWait, seconds(120)},
      {original, kSyn, TrackState::New, TcpState::SynSent, seconds(120)},
  };
  ConntrackTable table;
  Picos now = seconds(1);
  for (const Row& row : rows) {
    now += milliseconds(10);
    const auto tuple = row.direction == original ? kTcp : *inverse(kTcp);
    const Track track = pass(table, tuple, now, row.flags);
    EXPECT_EQ(track.state, row.state) << to_string(row.tcp);
    EXPECT_EQ(track.direction, row.direction) << to_string(row.tcp);
    ASSERT_EQ(table.size(), 1u);
    EXPECT_EQ(table.connections()[0].tcp, row.tcp) << to_string(row.tcp);
    EXPECT_EQ(table.connections()[0].expires, now + row.life) << to_string(row.tcp);
  }
}

TEST(Conntrack, ShowsAllThatStayedToWhoeverVisitsItFragmentByFragmentWhileItChanges) {
  ConntrackTable table;
  const auto tuple = [](std::uint16_t number) {
    ConntrackTuple one = kTcp;
    one.source_port = number;
    return one;
  };
  constexpr std::uint16_t kCount = 100;
  for (std::uint16_t i = 0; i < kCount; ++i)
    pass(table, tuple(i), milliseconds(i), kSyn);
  std::set<std::uint16_t> seen;
  std::optional<ConntrackTable::VisitPosition> place(std::in_place);
  for (std::uint16_t step = 0; place; ++step) {
    place = table.visit(*place, 7, [&](const Connection& one) {
      EXPECT_TRUE(seen.insert(one.original.source_port).second);
    });
    // Some connections close and expire before visited ones; others are new.
    table.checkpoint();
    pass(table, *inverse(tuple(90 + step % 10)), seconds(1), kRst);
    pass(table, tuple(1000 + step), seconds(1), kSyn);
    for (const auto& [original, connection] : table.changes())
      seen.erase(original.source_port);
    table.keep();
    ASSERT_LT(step, kCount);
  }
  for (std::uint16_t i = 0; i < 90; ++i)
    EXPECT_TRUE(seen.contains(i)) << i;
}

TEST(Conntrack, TakesUpATcpConnectionThatIsUnderWay) {
  ConntrackTable table;
  EXPECT_EQ(pass(table, kTcp, {}, kAck).state, TrackState::New);
  EXPECT_EQ(table.connections()[0].tcp, TcpState::Established);
  EXPECT_EQ(table.connections()[0].expires, seconds(300)) << "only one side was seen";
  pass(table, *inverse(kTcp), seconds(1), kAck);
  pass(table, kTcp, seconds(2), kAck);
  EXPECT_EQ(table.connections()[0].expires, seconds(2 + 432'000));
  EXPECT_TRUE(table.connections()[0].assured);
}

TEST(Conntrack, KnowsASimultaneousOpen) {
  ConntrackTable table;
  pass(table, kTcp, {}, kSyn);
  pass(table, *inverse(kTcp), {}, kSyn);
  EXPECT_EQ(table.connections()[0].tcp, TcpState::SynSent2);
  pass(table, kTcp, {}, kSynAck);
  pass(table, *inverse(kTcp), {}, kAck);
  EXPECT_EQ(table.connections()[0].tcp, TcpState::Established);
}

TEST(Conntrack, KnowsInvalidPackets) {
  struct Row {
    const char* what;
    ConntrackTuple tuple;
    std::uint8_t flags;
  };
  const auto echo_reply = icmp_tuple(any_ip("10.0.0.1"), any_ip("10.0.0.2"), 0, 0, 7);
  const Row rows[] = {
      {"a SYN+ACK nobody asked for", kTcp, kSynAck},
      {"a FIN of no connection", kTcp, kFinAck},
      {"an RST of no connection", kTcp, kRst},
      {"no flag at all", kTcp, 0},
      {"SYN and FIN", kTcp, kTrackedSyn | kTrackedFin},
      {"a FIN without ACK", kTcp, kTrackedFin},
      {"an echo reply nobody asked for", echo_reply, 0},
      {"an ICMP redirect", icmp_tuple(any_ip("10.0.0.1"), any_ip("10.0.0.2"), 5, 0, 0), 0},
  };
  for (const Row& row : rows) {
    ConntrackTable table;
    EXPECT_EQ(pass(table, row.tuple, {}, row.flags).state, TrackState::Invalid) << row.what;
    EXPECT_EQ(table.size(), 0u) << row.what;
  }
  ConntrackTable table;
  pass(table, kTcp, {}, kSyn);
  EXPECT_EQ(pass(table, kTcp, {}, kAck).state, TrackState::Invalid) << "before the SYN+ACK";
}

TEST(Conntrack, LeavesNeighbourDiscoveryAlone) {
  ConntrackTable table;
  const auto solicitation = icmp_tuple(any_ip("fe80::1"), any_ip("ff02::1:ff00:2"), 135, 0, 0);
  EXPECT_EQ(pass(table, solicitation, {}).state, TrackState::Untracked);
  EXPECT_EQ(table.size(), 0u);
}

TEST(Conntrack, ARefusedConnectionIsForgottenAtOnce) {
  ConntrackTable table;
  pass(table, kTcp, {}, kSyn);
  EXPECT_EQ(pass(table, *inverse(kTcp), {}, kRst | kAck).state, TrackState::Established);
  EXPECT_EQ(table.size(), 0u);
}

TEST(Conntrack, AnRstClosesAndOnlyItsSenderReopens) {
  ConntrackTable table;
  pass(table, kTcp, {}, kSyn);
  pass(table, *inverse(kTcp), {}, kSynAck);
  pass(table, kTcp, {}, kAck);
  pass(table, *inverse(kTcp), {}, kRst);
  EXPECT_EQ(table.connections()[0].expires, seconds(10));
  EXPECT_EQ(pass(table, kTcp, {}, kSyn).state, TrackState::Established) << "ignored";
  EXPECT_EQ(table.connections()[0].tcp, TcpState::Close);
  pass(table, kTcp, {}, kRst);
  EXPECT_EQ(pass(table, kTcp, {}, kSyn).state, TrackState::New);
  EXPECT_EQ(table.connections()[0].tcp, TcpState::SynSent);
}

TEST(Conntrack, ARepeatedSynDoesNotKeepItsEntryAlive) {
  ConntrackTable table;
  pass(table, kTcp, {}, kSyn);
  pass(table, kTcp, seconds(63), kSyn);
  EXPECT_EQ(table.connections()[0].expires, seconds(120));
  EXPECT_TRUE(table.track(kTcp, kSyn, seconds(120)).is_unconfirmed);
}

TEST(Conntrack, UdpBecomesAStreamAfterTwoSecondsBothWays) {
  struct Row {
    Picos now;
    Direction direction;
    Picos life;
    bool assured;
  };
  const Row rows[] = {
      {seconds(0), Direction::Original, seconds(30), false},
      {seconds(10), Direction::Original, seconds(30), false},
      {seconds(11), Direction::Reply, seconds(30), false},
      {seconds(12), Direction::Original, seconds(120), true},
      {seconds(13), Direction::Reply, seconds(120), true},
  };
  ConntrackTable table;
  for (const Row& row : rows) {
    pass(table, row.direction == Direction::Original ? kUdp : *inverse(kUdp), row.now);
    EXPECT_EQ(table.connections()[0].expires, row.now + row.life);
    EXPECT_EQ(table.connections()[0].assured, row.assured);
  }
  EXPECT_TRUE(table.track(kUdp, 0, seconds(133)).is_unconfirmed);
}

TEST(Conntrack, OtherProtocolsHaveOneTimeoutEach) {
  const ConntrackTuple ipip{any_ip("10.250.0.4"), any_ip("10.250.0.5"), 0, 0, 4};
  const ConntrackTuple ping6 = icmp_tuple(any_ip("fd00::1"), any_ip("fd00::2"), 128, 0, 9);
  struct Row {
    ConntrackTuple tuple;
    Picos life;
  };
  for (const Row& row :
       {Row{kPing, seconds(30)}, Row{ping6, seconds(30)}, Row{ipip, seconds(600)}}) {
    ConntrackTable table;
    pass(table, row.tuple, seconds(1));
    EXPECT_EQ(pass(table, *inverse(row.tuple), seconds(2)).state, TrackState::Established);
    EXPECT_EQ(table.connections()[0].expires, seconds(2) + row.life);
  }
}

TEST(Conntrack, APacketThatIsDroppedOnTheWayLeavesNothing) {
  ConntrackTable table;
  EXPECT_EQ(table.track(kTcp, kSyn, {}).state, TrackState::New);
  EXPECT_EQ(table, ConntrackTable{});
}

TEST(Conntrack, AFullTableForgetsTheOldestThatIsNotAssured) {
  ConntrackTable table(2);
  ConntrackTuple tuple = kUdp;
  for (std::uint16_t port = 1; port <= 3; ++port) {
    tuple.source_port = port;
    EXPECT_FALSE(pass(table, tuple, milliseconds(port)).drop);
  }
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.connections()[0].original.source_port, 2);
}

TEST(Conntrack, AFullTableOfAssuredConnectionsTakesNoMore) {
  ConntrackTable table(2);
  ConntrackTuple tuple = kUdp;
  for (std::uint16_t port = 1; port <= 2; ++port) {
    tuple.source_port = port;
    for (const int second : {0, 3, 3})
      pass(table, second == 3 ? *inverse(tuple) : tuple, seconds(second));
  }
  EXPECT_EQ(pass(table, kTcp, seconds(3), kSyn).drop, Drop::ConntrackFull);
  EXPECT_FALSE(pass(table, tuple, seconds(4)).drop) << "what is known goes on";
  EXPECT_FALSE(pass(table, kTcp, seconds(123), kSyn).drop) << "one has expired";
}

TEST(ConntrackTable, PrintsAsConntrackDoes) {
  ConntrackTable table;
  open_masqueraded(table, kTcp, {});
  pass(table, kPing, {});
  pass(table, *inverse(kPing), seconds(1));
  EXPECT_EQ(to_string(table, seconds(2)),
            "icmp     1 29 src=100.96.1.10 dst=198.51.100.1 type=8 code=0 id=7 "
            "src=198.51.100.1 dst=100.96.1.10 type=0 code=0 id=7\n"
            "tcp      6 118 SYN_SENT src=100.96.1.10 dst=198.51.100.1 sport=40000 dport=443 "
            "[UNREPLIED] src=198.51.100.1 dst=10.250.0.4 sport=443 dport=40000\n");
}

TEST(ConntrackTable, IsComparedByWhatItHolds) {
  ConntrackTable one;
  ConntrackTable other;
  pass(one, kTcp, {}, kSyn);
  pass(one, kUdp, {});
  pass(other, kUdp, {});
  EXPECT_NE(one, other);
  pass(other, kTcp, {}, kSyn);
  EXPECT_EQ(one, other);
  pass(other, kUdp, seconds(1));
  EXPECT_NE(one, other);
}

TEST(ConntrackTable, RollsBackToItsCheckpoint) {
  RandomStream random(1, StreamUse::Pattern, 37);
  ConntrackTable table(40);
  Picos now;
  const auto packet = [&](ConntrackTable& to, std::uint64_t draw) {
    ConntrackTuple tuple = std::array{kTcp, kUdp, kPing}[draw % 3];
    tuple.source = Ipv4Address{static_cast<std::uint32_t>(draw / 3 % 20)};
    const std::uint8_t flags = std::array{kSyn, kSynAck, kAck, kFinAck, kRst}[draw / 60 % 5];
    if (draw / 300 % 2 != 0) tuple = *inverse(tuple);
    Track track = to.track(tuple, flags, now);
    if (track.is_unconfirmed && !track.drop) track.drop = to.masquerade(track, kNode, "eth0");
    if (!track.drop) to.confirm(track, draw / 600 % 50 == 0 ? "tunl0" : "eth0", now);
    return track.reply;
  };
  std::size_t changed = 0;
  for (int round = 0; round < 2'000; ++round) {
    ConntrackTable copy = table;
    table.checkpoint();
    for (std::uint64_t i = random.below(4); i > 0; --i) {
      now += seconds(static_cast<std::int64_t>(random.below(5)));
      packet(table, random.next());
    }
    changed += table != copy ? 1 : 0;
    EXPECT_TRUE(table == copy || !table.changes().empty());
    const auto held = table.connections();
    for (const auto& [original, connection] : table.changes()) {
      const auto at = std::ranges::find(held, original, &Connection::original);
      EXPECT_EQ(connection, at == held.end() ? std::nullopt : std::optional(*at));
    }
    table.roll_back();
    ASSERT_EQ(table, copy) << round;
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t draw = random.next();
      ASSERT_EQ(packet(table, draw), packet(copy, draw)) << "and goes on as the copy does";
    }
    ASSERT_EQ(table, copy) << round;
  }
  EXPECT_GT(changed, 1'000u);
}

/// The oracle is a list of connections that is searched for expired ones.
TEST(ConntrackTable, ExpiresLikeAListThatIsScanned) {
  RandomStream random(1, StreamUse::Pattern, 29);
  ConntrackTable table;
  std::map<ConntrackTuple, Connection> oracle;
  Picos now;
  int expired = 0;
  for (int i = 0; i < 20'000; ++i) {
    now += milliseconds(static_cast<std::int64_t>(random.below(2'000)));
    expired += static_cast<int>(
        std::erase_if(oracle, [=](const auto& entry) { return entry.second.expires <= now; }));
    ConntrackTuple tuple = random.below(2) == 0 ? kUdp : kPing;
    tuple.source = Ipv4Address{static_cast<std::uint32_t>(random.below(64))};
    const bool known = oracle.contains(tuple);
    const bool answer = known && random.below(2) == 0;
    const Track track = pass(table, answer ? *inverse(tuple) : tuple, now);
    Connection& connection = oracle[tuple];
    EXPECT_EQ(track.state,
              answer || connection.seen_reply ? TrackState::Established : TrackState::New);
    if (!known) connection = {.begin = now, .original = tuple};
    const bool stream = tuple.protocol == kTrackedUdp && connection.seen_reply &&
                        now > connection.begin + seconds(2);
    connection.expires = now + seconds(stream ? 120 : 30);
    connection.seen_reply = connection.seen_reply || answer;
    ASSERT_EQ(table.size(), oracle.size());
  }
  EXPECT_GT(expired, 1'000);
  const auto held = table.connections();
  for (const Connection& connection : held)
    EXPECT_EQ(connection.expires, oracle.at(connection.original).expires);
}

}  // namespace conntrack_test

}  // namespace overlane::node
