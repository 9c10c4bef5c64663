#include <map>

#include <gtest/gtest.h>

#include "dataplane/node/runtime/conntrack.h"
#include "dataplane/node/testing/connections.h"

namespace overlane::node {
namespace conntrack_nat_test {

using namespace testing;

TEST(Masqueraded, BothDirectionsAndBothFamilies) {
  struct Row {
    ConntrackTuple tuple;
    SourceTranslation translation;
  };
  ConntrackTuple ipv6 = kTcp;
  ipv6.source = any_ip("fd00:96::a");
  ipv6.destination = any_ip("2001:db8::1");
  for (const Row& row : {Row{kTcp, kNode}, Row{kUdp, kNode}, Row{kPing, kNode},
                         Row{ipv6, {.source = any_ip("2001:db8::4")}}}) {
    ConntrackTable table;
    const Track first = open_masqueraded(table, row.tuple, {}, row.translation);
    ASSERT_FALSE(first.drop);
    EXPECT_TRUE(first.is_translated());
    ConntrackTable plain;
    EXPECT_FALSE(pass(plain, row.tuple, {}, kSyn).is_translated());
    ConntrackTuple seen = row.tuple;
    seen.source = row.translation.source;
    EXPECT_EQ(first.translated(), seen) << "the port is free and stays";
    const Track reply = pass(table, *inverse(seen), seconds(1), kSynAck);
    EXPECT_EQ(reply.direction, Direction::Reply);
    EXPECT_EQ(reply.translated(), *inverse(row.tuple));
    EXPECT_EQ(pass(table, row.tuple, seconds(2)).translated(), seen);
    EXPECT_EQ(table.track(*inverse(row.tuple), kSynAck, seconds(2)).state,
              row.tuple.protocol == kTrackedUdp ? TrackState::New : TrackState::Invalid)
        << "answers to the address that the network never saw";
  }
}

TEST(Masqueraded, ATakenPortIsReplaced) {
  ConntrackTable table;
  ConntrackTuple other = kTcp;
  other.source = any_ip("100.96.1.11");
  open_masqueraded(table, kTcp, {});
  const Track second = open_masqueraded(table, other, {});
  EXPECT_EQ(second.translated().source, kNode.source);
  EXPECT_NE(second.translated().source_port, kTcp.source_port);
  EXPECT_GE(second.translated().source_port, 1024);
  EXPECT_EQ(pass(table, *inverse(second.translated()), {}, kSynAck).translated(), *inverse(other));
  other.destination = any_ip("198.51.100.2");
  EXPECT_EQ(open_masqueraded(table, other, {}).translated().source_port, kTcp.source_port)
      << "towards another destination it is free";
}

TEST(Masqueraded, TheNodesOwnConnectionYieldsToOneThatTookItsPort) {
  ConntrackTable table;
  open_masqueraded(table, kTcp, {});
  ConntrackTuple own = kTcp;
  own.source = kNode.source;
  const Track track = pass(table, own, {}, kSyn);
  EXPECT_FALSE(track.drop);
  EXPECT_NE(track.translated().source_port, own.source_port);
}

TEST(Masqueraded, PortsComeFromTheRangeUntilItIsExhausted) {
  ConntrackTable table;
  const SourceTranslation range{
      .source = kNode.source, .ports = PortRange{50'000, 50'009}, .random_fully = true};
  std::map<std::uint16_t, int> used;
  ConntrackTuple tuple = kTcp;
  for (std::uint16_t i = 0; i < 10; ++i) {
    tuple.source_port = static_cast<std::uint16_t>(1 + i);
    const Track track = open_masqueraded(table, tuple, {}, range);
    ASSERT_FALSE(track.drop) << i;
    EXPECT_TRUE(range.ports->contains(track.translated().source_port));
    ++used[track.translated().source_port];
  }
  EXPECT_EQ(used.size(), 10u);
  tuple.source_port = 11;
  EXPECT_EQ(open_masqueraded(table, tuple, {}, range).drop, Drop::NatExhausted);
  tuple.destination = any_ip("198.51.100.2");
  EXPECT_FALSE(open_masqueraded(table, tuple, {}, range).drop) << "per destination";
  EXPECT_FALSE(open_masqueraded(table, kTcp, seconds(120), range).drop) << "all expired";
}

TEST(Masqueraded, AlmostAllPortsTakenIsExhaustedNowAndThenAsInLinux) {
  int exhausted = 0;
  for (std::uint16_t i = 0; i < 200; ++i) {
    ConntrackTuple tuple = kTcp;
    tuple.source_port = i;
    const auto only_one_free = [](const ConntrackTuple& t) { return t.source_port != 60'000; };
    const auto seen = translate_source(
        tuple, {.source = kNode.source, .ports = PortRange{60'000, 60'999}}, only_one_free);
    if (!seen) ++exhausted;
  }
  EXPECT_GT(exhausted, 100) << "248 of 1,000 ports are tried";
  EXPECT_LT(exhausted, 195);
}

TEST(Masqueraded, AProtocolWithoutPortsHasOneConnectionPerPairOfAddresses) {
  ConntrackTable table;
  ConntrackTuple esp{any_ip("100.96.1.10"), any_ip("198.51.100.1"), 0, 0, 50};
  EXPECT_FALSE(open_masqueraded(table, esp, {}).drop);
  esp.source = any_ip("100.96.1.11");
  EXPECT_EQ(open_masqueraded(table, esp, {}).drop, Drop::NatExhausted);
}

TEST(Masqueraded, LeavingThroughAnotherDeviceEndsIt) {
  ConntrackTable table;
  open_masqueraded(table, kUdp, {});
  EXPECT_FALSE(pass(table, kUdp, seconds(1)).drop);
  Track track = table.track(kUdp, 0, seconds(2));
  EXPECT_EQ(table.confirm(track, "tunl0", seconds(2)), Drop::NatDeviceChanged);
  EXPECT_EQ(table.size(), 0u);
}

TEST(Masqueraded, GoesWithItsDevice) {
  ConntrackTable table;
  ConntrackTuple plain = kUdp;
  plain.destination = any_ip("100.96.2.10");
  open_masqueraded(table, kUdp, {});
  pass(table, plain, {});
  table.forget_masqueraded([](DeviceName device, IpAddress address) {
    return device == "eth0" && address == kNode.source;
  });
  EXPECT_EQ(table.size(), 2u);
  table.forget_masqueraded([](DeviceName, IpAddress) { return false; });
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table.connections()[0].original, plain);
}

TEST(RelatedErrors, FindTheConnectionThatTheyQuote) {
  ConntrackTable table;
  const Track first = open_masqueraded(table, kTcp, {});
  const ConntrackTuple seen = first.translated();

  const Track error = table.track_error(seen, kNode.source, {});
  EXPECT_EQ(error.state, TrackState::Related);
  EXPECT_EQ(error.direction, Direction::Reply);
  EXPECT_EQ(error.translated().destination, kTcp.source) << "goes to the pod";
  EXPECT_EQ(inverse(error.translated()), kTcp) << "and quotes what the pod sent";

  const Track from_pod = table.track_error(*inverse(kTcp), kTcp.destination, {});
  EXPECT_EQ(from_pod.direction, Direction::Original);
  EXPECT_EQ(from_pod.translated().source, kNode.source) << "seems to come from the node";
  EXPECT_EQ(inverse(from_pod.translated()), *inverse(seen));

  EXPECT_EQ(table.track_error(seen, any_ip("10.250.0.5"), {}).state, TrackState::Invalid)
      << "sent to someone else than who sent the packet it quotes";
  EXPECT_EQ(table.track_error(kTcp, kTcp.source, {}).state, TrackState::Invalid)
      << "quotes what the network never saw";
  EXPECT_EQ(table.track_error(seen, kNode.source, seconds(120)).state, TrackState::Invalid)
      << "too late";
}

}  // namespace conntrack_nat_test
}  // namespace overlane::node
