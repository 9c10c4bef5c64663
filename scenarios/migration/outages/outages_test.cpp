#include "scenarios/migration/outages/outages.h"

#include <gtest/gtest.h>

namespace overlane::migration {

namespace interrupted_share_test {

// Nodes 0 and 1 are in one zone, node 2 is in another: two ordered pairs within a zone, four
// across.
const std::vector<std::uint32_t> kZones{0, 0, 1};
const std::vector<Outage> kOutages{{0, 1, seconds(10), seconds(12), Drop::FabricNoRoute},
                                   {0, 2, seconds(10), seconds(20), Drop::FabricNoRoute},
                                   {2, 0, seconds(14), seconds(16), Drop::RpFilter}};

TEST(InterruptedShare, CountsOrderedPairsOfEachClassOverTime) {
  const TimeColumns columns = time_columns(kOutages, 5);
  EXPECT_EQ(columns.begin, seconds(10));
  EXPECT_EQ(columns.column, seconds(2));
  EXPECT_EQ(columns.end(), seconds(20));
  const auto shares = share_by_class(kOutages, kZones, columns);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].second, (InterruptedShare{500'000, 0, 0, 0, 0}));
  EXPECT_EQ(shares[1].second, (InterruptedShare{250'000, 250'000, 500'000, 250'000, 250'000}));
}

TEST(InterruptedShare, CountsBothDirectionsOfEachNode) {
  const auto shares = share_by_node(kOutages, 3, time_columns(kOutages, 5));
  EXPECT_EQ(shares[0], (InterruptedShare{500'000, 250'000, 500'000, 250'000, 250'000}));
  EXPECT_EQ(shares[1], (InterruptedShare{250'000, 0, 0, 0, 0}));
}

TEST(InterruptedShare, ShowsOutagesThatAreNeverOver) {
  const std::vector<Outage> outages{{0, 1, seconds(10), std::nullopt, Drop::FabricNoRoute}};
  const auto shares = share_by_class(outages, {0, 0}, time_columns(outages, 4));
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_EQ(shares[0].second, (InterruptedShare{500'000, 500'000, 500'000, 500'000}));
}

}  // namespace interrupted_share_test

namespace tcp_pause_test {

constexpr Picos kEnd = seconds(100);

TEST(TcpPause, LastsFromTheOutageOfTheDataToALaterRetransmission) {
  const TcpPause pause = tcp_pause({{seconds(10), seconds(15)}}, {}, kEnd);
  EXPECT_EQ(pause.min, seconds(5));
  EXPECT_EQ(pause.max, *tcp_stall(seconds(5)));
}

TEST(TcpPause, MayBeShortWhileOnlyAcknowledgementsAreLost) {
  const TcpPause pause = tcp_pause({}, {{seconds(10), seconds(15)}}, kEnd);
  EXPECT_EQ(pause.min, Picos{});
  EXPECT_EQ(pause.max, *tcp_stall(seconds(5)));
}

TEST(TcpPause, ContainsARetransmissionThatMeetsTheNextOutage) {
  // The retransmission after an outage of 5 s is sent 6.2 to 6.9 s after its begin.
  const Interval first{seconds(10), seconds(15)};
  EXPECT_EQ(tcp_pause({first}, {{milliseconds(16'500), seconds(17)}}, kEnd).max,
            *tcp_stall(seconds(7)));
  EXPECT_EQ(tcp_pause({first}, {{seconds(18), milliseconds(18'100)}}, kEnd).max,
            *tcp_stall(seconds(5)));
}

TEST(TcpPause, EndsWithTheObservation) {
  const TcpPause pause = tcp_pause({{seconds(10), kNever}}, {}, seconds(30));
  EXPECT_EQ(pause.min, seconds(20));
  EXPECT_EQ(pause.max, seconds(20));
  EXPECT_EQ(tcp_pause({{seconds(40), seconds(50)}}, {}, seconds(30)).max, Picos{});
}

}  // namespace tcp_pause_test

}  // namespace overlane::migration
