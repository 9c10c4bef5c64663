#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/neighbour/link.h"
#include "dataplane/neighbour/testing/port.h"

namespace overlane::neighbour {
namespace link_full_test {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

IpAddress host(std::uint64_t number) {
  return ip("10.2.0.0") + number;
}

std::string asks(const IpAddress& address) {
  return "10.0.0.1 asks ff:ff:ff:ff:ff:ff: who has " + address.to_string() + "?";
}

constexpr std::size_t kMax = 4;

/// A port with a full table: it has sent to `used` neighbours, and only received messages from the
/// rest.
Port full(std::size_t used) {
  Port port({.answers = {.proxy_arp = true}, .max_neighbours = kMax});
  for (std::size_t i = 0; i < kMax; ++i) {
    port.now += milliseconds(1);
    if (i < used) port.resolve(host(i));
    port.receive(arp_request(host(i), ip("10.0.0.1")));
  }
  port.take_events();
  return port;
}

TEST(LinkFull, TheOldestPacketsGoFirst) {
  Port port({.max_queued_bytes = 2 * (100 + kPacketOverhead)});
  for (const std::size_t bytes : {90u, 100u, 100u})
    port.send(host(0), packet_from(ip("10.1.0.5"), bytes));
  EXPECT_THAT(port.take_events(), ElementsAre("10.0.0.1 asks ff:ff:ff:ff:ff:ff: who has 10.2.0.0?",
                                              "undelivered to 10.2.0.0: 90 bytes"));
  port.send(host(0), packet_from(ip("10.1.0.5"), 9000));
  EXPECT_THAT(port.take_events(), ElementsAre("undelivered to 10.2.0.0: 100 bytes",
                                              "undelivered to 10.2.0.0: 100 bytes"));
  port.receive(arp_reply(host(0)));
  EXPECT_EQ(port.events.back(), "a packet of 9000 bytes to 02:00:00:00:00:02")
      << "one is always kept";
}

TEST(LinkFull, AFloodOfAskersPushesOutOnlyAskers) {
  Port port = full(2);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    port.now += milliseconds(1);
    port.receive(arp_request(host(100 + i), ip("169.254.1.1")));
    ASSERT_EQ(port.link.neighbours(), kMax);
  }
  EXPECT_TRUE(port.link.find(host(0)) && port.link.find(host(1)));
  EXPECT_FALSE(port.link.find(host(2)) || port.link.find(host(3)));
  EXPECT_TRUE(port.link.find(host(1098)) && port.link.find(host(1099))) << "the last two";
  EXPECT_THAT(port.events[0], "lost 10.2.0.2");
}

TEST(LinkFull, WhoFindsNoRoomIsAnswered) {
  Port port = full(kMax);
  port.receive(arp_request(host(9), ip("169.254.1.1")));
  EXPECT_THAT(
      port.events,
      ElementsAre("169.254.1.1 is at 02:00:00:00:00:01, says it to 10.2.0.9 at 02:00:00:00:00:02"));
  EXPECT_EQ(port.link.find(host(9)), std::nullopt);
}

TEST(LinkFull, ANextHopPushesOutWhoOnlySpoke) {
  Port port = full(2);
  port.resolve(host(8));
  EXPECT_THAT(port.take_events(), ElementsAre("lost 10.2.0.2", asks(host(8))));
  port.resolve(host(9));
  EXPECT_THAT(port.take_events(), ElementsAre("lost 10.2.0.3", asks(host(9))));
  port.send(host(10), packet_from(ip("10.1.0.5")));
  EXPECT_THAT(port.take_events(), ElementsAre("undelivered to 10.2.0.10: 20 bytes"));
  port.resolve(host(11));
  EXPECT_THAT(port.take_events(), IsEmpty());
}

TEST(LinkFull, ANextHopPushesOutOneThatNobodyUsedForAMinute) {
  Port port = full(kMax);
  for (const std::uint64_t i : {0u, 1u, 3u}) {
    port.now += seconds(1);
    port.resolve(host(i));
  }
  port.now += kStale - seconds(3) - milliseconds(2);
  port.resolve(host(9));
  EXPECT_THAT(port.take_events(), IsEmpty());
  port.now += milliseconds(1);
  port.resolve(host(9));
  EXPECT_THAT(port.take_events(), ElementsAre("lost 10.2.0.2", asks(host(9))));
}

TEST(LinkFull, ATableForNobodyKnowsNobody) {
  Port port({.max_neighbours = 0});
  port.send(host(1), packet_from(ip("10.1.0.5")));
  port.receive(arp_request(host(2), ip("10.0.0.1")));
  EXPECT_THAT(port.take_events(),
              ElementsAre("undelivered to 10.2.0.1: 20 bytes",
                          "10.0.0.1 is at 02:00:00:00:00:01, says it to 10.2.0.2 at "
                          "02:00:00:00:00:02"));
}

}  // namespace link_full_test
}  // namespace overlane::neighbour
