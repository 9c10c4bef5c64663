#include "dataplane/neighbour/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/neighbour/testing/port.h"

namespace overlane::neighbour {
namespace link_test {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const IpAddress kNeighbour = ip("10.0.0.2");
const std::string kQuestion = "10.0.0.1 asks ff:ff:ff:ff:ff:ff: who has 10.0.0.2?";
const std::string kProbe = "10.0.0.1 asks 02:00:00:00:00:02: who has 10.0.0.2?";
const std::string kLearnt = "learned 10.0.0.2 02:00:00:00:00:02";

/// A port that knows its neighbour.
Port acquainted() {
  Port port;
  port.want(kNeighbour);
  port.receive(arp_reply(kNeighbour));
  port.take_events();
  return port;
}

TEST(Link, KeepsPacketsUntilTheAnswerAndThenSendsThemInOrder) {
  Port port;
  port.send(kNeighbour, packet_from(ip("10.1.0.5"), 21));
  port.send(kNeighbour, packet_from(ip("10.1.0.5"), 22));
  EXPECT_THAT(port.take_events(), ElementsAre(kQuestion));
  EXPECT_EQ(port.link.find(kNeighbour), std::nullopt);
  port.receive(arp_reply(kNeighbour));
  EXPECT_THAT(port.take_events(), ElementsAre(kLearnt, "a packet of 21 bytes to 02:00:00:00:00:02",
                                              "a packet of 22 bytes to 02:00:00:00:00:02"));
  const Bytes packet = packet_from(ip("10.1.0.5"), 23);
  port.send(kNeighbour, packet);
  EXPECT_THAT(port.take_events(), ElementsAre("a packet of 23 bytes to 02:00:00:00:00:02"));
  const Bytes& frame = port.frames.back();
  EXPECT_EQ(Bytes(frame.begin() + 14, frame.end()), packet);
}

TEST(Link, AsksThreeTimesASecondApartAndGivesUp) {
  Port port;
  port.send(kNeighbour, packet_from(ip("10.1.0.5")));
  EXPECT_THAT(port.take_events(), ElementsAre(kQuestion));
  EXPECT_EQ(port.link.next_deadline(), port.now + seconds(1));
  port.pass(seconds(3) - picoseconds(1));
  EXPECT_THAT(port.take_events(), ElementsAre(kQuestion, kQuestion));
  port.pass(picoseconds(1));
  EXPECT_THAT(port.take_events(), ElementsAre("unanswered by 10.0.0.2: 20 bytes"));
  EXPECT_EQ(port.link.neighbours(), 0u);
  EXPECT_EQ(port.link.next_deadline(), std::nullopt);
  port.send(kNeighbour, packet_from(ip("10.1.0.5")));
  EXPECT_THAT(port.take_events(), ElementsAre(kQuestion)) << "the next packet asks anew";
}

TEST(Link, WhatIsKeptIsCountedAndComesBackWithItsMark) {
  Port port;
  for (const Mark mark : {7u, 8u})
    port.send(kNeighbour, packet_from(ip("10.1.0.5")), mark);
  port.send(ip("10.0.0.3"), packet_from(ip("10.1.0.5")), 9);
  EXPECT_EQ(port.link.kept(), 3u);
  port.receive(arp_reply(kNeighbour));
  EXPECT_EQ(port.link.kept(), 1u);
  port.pass(seconds(3));
  EXPECT_EQ(port.link.kept(), 0u);
  EXPECT_THAT(port.marks, ElementsAre(7, 8, 9));
}

TEST(Link, WhatIsKeptCanBeGivenUp) {
  Port port;
  port.send(kNeighbour, packet_from(ip("10.1.0.5")));
  port.take_events();
  port.link.give_up(port);
  EXPECT_THAT(port.take_events(), ElementsAre("undelivered to 10.0.0.2: 20 bytes"));
  EXPECT_EQ(port.link.kept(), 0u);
  port.receive(arp_reply(kNeighbour));
  EXPECT_THAT(port.take_events(), ElementsAre(kLearnt)) << "it is still being asked for";
}

TEST(Link, WantAsksOnce) {
  Port port;
  port.want(kNeighbour);
  port.want(kNeighbour);
  port.send(kNeighbour, packet_from(ip("10.1.0.5")));
  EXPECT_THAT(port.take_events(), ElementsAre(kQuestion));
}

TEST(Link, AsksFromTheAddressThatThePacketComesFromIfItIsItsOwn) {
  Port port({.answers = {.own = {ip("10.9.9.9"), ip("10.0.0.1")}}});
  port.send(kNeighbour, packet_from(ip("10.0.0.1")));
  port.want(ip("10.0.0.3"));
  EXPECT_THAT(port.events,
              ElementsAre(kQuestion, "10.9.9.9 asks ff:ff:ff:ff:ff:ff: who has 10.0.0.3?"));
}

TEST(Link, AsksAKnownNeighbourAgainAfterAWhile) {
  Port port = acquainted();
  port.pass(kReachable + kDelay - picoseconds(1));
  EXPECT_THAT(port.take_events(), IsEmpty());
  port.pass(picoseconds(1));
  EXPECT_THAT(port.take_events(), ElementsAre(kProbe));
  port.send(kNeighbour, packet_from(ip("10.1.0.5")));
  EXPECT_THAT(port.take_events(), ElementsAre("a packet of 20 bytes to 02:00:00:00:00:02"))
      << "meanwhile it is used";
  port.receive(arp_reply(kNeighbour));
  port.pass(kReachable + kDelay - picoseconds(1));
  EXPECT_THAT(port.take_events(), IsEmpty()) << "the answer confirms it";
}

TEST(Link, ANeighbourThatIsGoneIsLost) {
  Port port = acquainted();
  port.pass(kReachable + kDelay + seconds(3) - picoseconds(1));
  EXPECT_THAT(port.take_events(), ElementsAre(kProbe, kProbe, kProbe));
  EXPECT_EQ(port.link.find(kNeighbour), kTheirMac);
  port.pass(picoseconds(1));
  EXPECT_THAT(port.take_events(), ElementsAre("lost 10.0.0.2"));
  EXPECT_EQ(port.link.find(kNeighbour), std::nullopt);
}

TEST(Link, ANeighbourThatOnlySpokeIsNotAskedAndForgotten) {
  Port port;
  port.receive(arp_request(kNeighbour, ip("10.0.0.1")));
  port.take_events();
  port.pass(kStale - picoseconds(1));
  EXPECT_EQ(port.link.find(kNeighbour), kTheirMac);
  EXPECT_THAT(port.take_events(), IsEmpty());
  port.pass(picoseconds(1));
  EXPECT_THAT(port.take_events(), ElementsAre("lost 10.0.0.2"));

  port.receive(arp_request(kNeighbour, ip("10.0.0.1")));
  port.receive(arp_reply(kNeighbour));
  port.take_events();
  port.pass(kReachable + kStale);
  EXPECT_THAT(port.take_events(), ElementsAre("lost 10.0.0.2")) << "though it confirmed itself";
}

TEST(Link, ANeighbourThatOnlySpokeIsAskedWhenItHasBeenUsedForAWhile) {
  Port port;
  port.receive(arp_request(kNeighbour, ip("10.0.0.1")));
  port.pass(seconds(50));
  port.take_events();
  port.want(kNeighbour);
  port.pass(kDelay - picoseconds(1));
  EXPECT_THAT(port.take_events(), IsEmpty());
  port.pass(picoseconds(1));
  EXPECT_THAT(port.take_events(), ElementsAre(kProbe));
}

TEST(Link, ALateTickDoesWhatIsLateOnce) {
  Port port;
  port.send(kNeighbour, packet_from(ip("10.1.0.5")));
  port.take_events();
  port.now += seconds(10);
  port.link.tick(port.now, port);
  EXPECT_THAT(port.take_events(), ElementsAre(kQuestion));
  EXPECT_EQ(port.link.next_deadline(), port.now + seconds(1));
}

TEST(Link, AnAddressThatNoNeighbourCanHaveIsNotAskedFor) {
  Port port;
  for (const char* address : {"0.0.0.0", "10.0.0.1", "127.0.0.1", "224.0.0.1", "255.255.255.255",
                              "::", "::1", "2001:db8::1", "ff02::1"}) {
    port.send(ip(address), packet_from(ip("10.1.0.5")));
    port.want(ip(address));
    EXPECT_THAT(port.take_events(),
                ElementsAre("undelivered to " + ip(address).to_string() + ": 20 bytes"));
  }
  EXPECT_EQ(port.link.neighbours(), 0u);
}

TEST(Link, AnIpv4PacketGoesToAnIpv6NextHop) {
  Port port;
  port.send(ip("fe80::2"), packet_from(ip("10.1.0.5")));
  port.receive(solicitation(ip("fe80::2"), ip("fe80::ff:fe00:1")));
  EXPECT_THAT(port.frames.back(), ::testing::SizeIs(14 + 40 + 32)) << "the answer";
  const Bytes& frame = port.frames[port.frames.size() - 2];
  EXPECT_EQ(frame[12] << 8 | frame[13], wire::kEtherTypeIpv4);
}

}  // namespace link_test
}  // namespace overlane::neighbour
