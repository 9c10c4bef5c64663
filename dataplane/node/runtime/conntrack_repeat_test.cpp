#include <array>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/node/runtime/conntrack.h"
#include "dataplane/node/testing/connections.h"
#include "sim/random/stream.h"

namespace overlane::node {
namespace conntrack_repeat_test {

using namespace testing;

ConntrackTuple udp(std::uint16_t port) {
  ConntrackTuple tuple = kTcp;
  tuple.protocol = kTrackedUdp;
  tuple.source_port = port;
  return tuple;
}

TEST(ConntrackRepeat, APacketThatOpensOrChangesAConnectionIsNone) {
  ConntrackTable table;
  const ConntrackTuple one = udp(1);
  pass(table, one, seconds(1));
  EXPECT_TRUE(table.followed().empty()) << "it opens";
  pass(table, one, seconds(1));
  EXPECT_EQ(table.followed().size(), 1u);
  table.forget_followed();
  const std::uint64_t uses = table.uses();
  pass(table, *inverse(one), seconds(1));
  EXPECT_TRUE(table.followed().empty()) << "the first answer";
  EXPECT_GT(table.uses(), uses);
}

TEST(ConntrackRepeat, HoldsUntilTheConnectionIsAnotherOrGone) {
  ConntrackTable table;
  const ConntrackTuple one = udp(1);
  pass(table, one, seconds(1));
  pass(table, one, seconds(2));
  const ConntrackTable::Repeat repeat = table.followed()[0];
  EXPECT_EQ(repeat.life, kUdpTimeout);
  EXPECT_TRUE(table.holds(repeat, seconds(31)));
  EXPECT_FALSE(table.holds(repeat, seconds(32))) << "expired";
  table.count(repeat, seconds(20));
  EXPECT_EQ(table.connections()[0].expires, seconds(50));
  EXPECT_TRUE(table.holds(repeat, seconds(49)));
  pass(table, *inverse(one), seconds(21));
  EXPECT_FALSE(table.holds(repeat, seconds(22))) << "it has been answered";
}

TEST(ConntrackRepeat, ADatagramThatMakesAStreamIsNone) {
  ConntrackTable table;
  const ConntrackTuple one = udp(1);
  pass(table, one, seconds(1));
  pass(table, *inverse(one), seconds(1));
  table.forget_followed();
  pass(table, one, seconds(2));
  const ConntrackTable::Repeat young = table.followed()[0];
  EXPECT_TRUE(table.holds(young, seconds(3)));
  EXPECT_FALSE(table.holds(young, seconds(3) + picoseconds(1))) << "older than 2 s";
  table.forget_followed();
  pass(table, one, seconds(4));
  EXPECT_TRUE(table.followed().empty());
  pass(table, one, seconds(5));
  ASSERT_EQ(table.followed().size(), 1u);
  EXPECT_EQ(table.followed()[0].life, kUdpStreamTimeout);
}

TEST(ConntrackRepeat, ASegmentThatDoesNotKeepItsConnectionAliveIsNone) {
  ConntrackTable table;
  pass(table, kTcp, seconds(1), kSyn);
  pass(table, kTcp, seconds(2), kSyn);
  EXPECT_TRUE(table.followed().empty()) << "a SYN that is sent again";
  pass(table, *inverse(kTcp), seconds(2), kSynAck);
  pass(table, kTcp, seconds(2), kAck);
  pass(table, kTcp, seconds(2), kAck);
  table.forget_followed();
  pass(table, kTcp, seconds(3), kAck);
  EXPECT_EQ(table.followed().size(), 1u);
  table.forget_followed();
  pass(table, kTcp, seconds(3), kFinAck);
  EXPECT_TRUE(table.followed().empty());
}

/// Two tables with the same packets stay equal if one of them tracks all packets and the other one
/// counts the repeats.
TEST(ConntrackRepeat, CountingIsTracking) {
  RandomStream random(1, StreamUse::Pattern, 0);
  ConntrackTable tracked;
  ConntrackTable counted;
  std::map<std::pair<ConntrackTuple, std::uint8_t>, ConntrackTable::Repeat> repeats;
  Picos now = seconds(1);
  int counts = 0;
  for (int step = 0; step < 20'000; ++step) {
    now +=
        milliseconds(static_cast<std::int64_t>(random.below(random.below(50) == 0 ? 40'000 : 40)));
    const bool is_tcp = random.below(2) == 0;
    ConntrackTuple tuple = is_tcp ? kTcp : udp(1);
    tuple.source_port = static_cast<std::uint16_t>(random.below(4));
    if (random.below(2) == 0) tuple = *inverse(tuple);
    const std::uint8_t flags =
        is_tcp ? std::array{kSyn, kSynAck, kAck, kAck, kAck, kAck, kFinAck}[random.below(7)] : 0;
    pass(tracked, tuple, now, flags);
    const auto at = repeats.find({tuple, flags});
    if (at != repeats.end() && counted.holds(at->second, now)) {
      counted.count(at->second, now);
      ++counts;
    } else {
      counted.forget_followed();
      pass(counted, tuple, now, flags);
      repeats.erase({tuple, flags});
      if (counted.followed().size() == 1) repeats[{tuple, flags}] = counted.followed()[0];
    }
    const auto alive = [&](const ConntrackTable& table) {
      std::vector<Connection> all = table.connections();
      std::erase_if(all, [&](const Connection& one) { return one.expires <= now; });
      return all;
    };
    ASSERT_EQ(alive(counted), alive(tracked)) << step;
  }
  EXPECT_GT(counts, 5'000);
}

}  // namespace conntrack_repeat_test
}  // namespace overlane::node
