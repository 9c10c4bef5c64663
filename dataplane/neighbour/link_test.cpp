#include "dataplane/neighbour/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/neighbour/address_kind.h"
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

/// A port that knows its neighbour's MAC.
Port acquainted() {
  Port port;
  port.resolve(kNeighbour);
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
  port.resolve(kNeighbour);
  port.resolve(kNeighbour);
  port.send(kNeighbour, packet_from(ip("10.1.0.5")));
  EXPECT_THAT(port.take_events(), ElementsAre(kQuestion));
}

TEST(Link, AsksFromTheAddressThatThePacketComesFromIfItIsItsOwn) {
  Port port({.answers = {.own = {ip("10.9.9.9"), ip("10.0.0.1")}}});
  port.send(kNeighbour, packet_from(ip("10.0.0.1")));
  port.resolve(ip("10.0.0.3"));
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
  port.resolve(kNeighbour);
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
    port.resolve(ip(address));
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

namespace link_arp_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using namespace testing;
using overlane::testing::hex;

// Frames that a Linux 6.18 kernel sends and receives on a veth pair (tcpdump).
const Bytes kRequestOfLinux =
    hex("ffff ffff ffff 0200 0000 0001 0806 0001 0800 0604 0001 0200 0000 0001 0a00 0001"
        "0000 0000 0000 0a00 0002");
const Bytes kReplyToLinux =
    hex("0200 0000 0001 0200 0000 0002 0806 0001 0800 0604 0002 0200 0000 0002 0a00 0002"
        "0200 0000 0001 0a00 0001");
const Bytes kProbeToLinux =
    hex("0200 0000 0001 0200 0000 0002 0806 0001 0800 0604 0001 0200 0000 0002 0a00 0002"
        "0000 0000 0000 0a00 0001");
const Bytes kReplyOfLinux =
    hex("0200 0000 0002 0200 0000 0001 0806 0001 0800 0604 0002 0200 0000 0001 0a00 0001"
        "0200 0000 0002 0a00 0002");

TEST(LinkArp, AsksAndAnswersByteForByteAsLinux) {
  Port port;
  port.resolve(ip("10.0.0.2"));
  EXPECT_THAT(port.frames, ElementsAre(kRequestOfLinux));
  EXPECT_TRUE(port.receive(kReplyToLinux));
  EXPECT_EQ(port.link.find(ip("10.0.0.2")), kTheirMac);
  EXPECT_TRUE(port.receive(kProbeToLinux));
  EXPECT_EQ(port.frames.back(), kReplyOfLinux);
}

struct Row {
  const char* what;
  bool proxy_arp;
  Bytes request;
  std::vector<std::string> events;
};

const MacAddress kAll = kBroadcastMac;

const Row kRows[] = {
    {"its own address is here",
     false,
     arp_request(ip("10.0.0.2"), ip("10.0.0.1")),
     {"learned 10.0.0.2 02:00:00:00:00:02",
      "10.0.0.1 is at 02:00:00:00:00:01, says it to 10.0.0.2 at 02:00:00:00:00:02"}},
    {"another address is not", false, arp_request(ip("10.0.0.2"), ip("10.0.0.9")), {}},
    {"on the side of the pods it is",
     true,
     arp_request(ip("10.0.0.2"), ip("169.254.1.1")),
     {"learned 10.0.0.2 02:00:00:00:00:02",
      "169.254.1.1 is at 02:00:00:00:00:01, says it to 10.0.0.2 at 02:00:00:00:00:02"}},
    {"there, too, the asker's own address is its own",
     true,
     arp_request(ip("10.0.0.2"), ip("10.0.0.2")),
     {}},
    {"a new address that nobody has", true, arp_request(ip("0.0.0.0"), ip("10.0.0.2")), {}},
    {"a new address that is ours",
     false,
     arp_request(ip("0.0.0.0"), ip("10.0.0.1")),
     {"10.0.0.1 is at 02:00:00:00:00:01, says it to 0.0.0.0 at 02:00:00:00:00:02"}},
    {"a multicast address", true, arp_request(ip("10.0.0.2"), ip("224.0.0.1")), {}},
    {"the broadcast address", true, arp_request(ip("10.0.0.2"), ip("255.255.255.255")), {}},
    {"a loopback address", true, arp_request(ip("10.0.0.2"), ip("127.0.0.1")), {}},
    {"an asker with our address", true, arp_request(ip("10.0.0.1"), ip("10.0.0.9")), {}},
    {"an asker with a multicast address", true, arp_request(ip("224.0.0.5"), ip("10.0.0.9")), {}},
    {"a request to another port",
     true,
     arp(wire::kArpRequest, kTheirMac, ip("10.0.0.2"), ip("10.0.0.1"), kOtherMac),
     {}},
    {"an answer that nobody waits for", true, arp_reply(ip("10.0.0.2")), {}},
    {"an unknown operation", true, arp(3, kTheirMac, ip("10.0.0.2"), ip("10.0.0.1"), kAll), {}},
};

TEST(LinkArp, SaysWhatIsHere) {
  for (const Row& row : kRows) {
    Port port({.answers = {.proxy_arp = row.proxy_arp}});
    EXPECT_TRUE(port.receive(row.request)) << row.what;
    EXPECT_EQ(port.events, row.events) << row.what;
    EXPECT_EQ(port.link.malformed(), 0u) << row.what;
  }
}

TEST(LinkArp, ListsOfAddressesChange) {
  Port port;
  port.link.set_answers({.own = {ip("10.0.0.7")}});
  port.receive(arp_request(ip("10.0.0.2"), ip("10.0.0.1")));
  EXPECT_THAT(port.take_events(), IsEmpty());
  port.resolve(ip("10.0.0.3"));
  EXPECT_THAT(port.events, ElementsAre("10.0.0.7 asks ff:ff:ff:ff:ff:ff: who has 10.0.0.3?"));
}

TEST(LinkArp, NonsenseIsCountedAndIgnored) {
  Bytes truncated = kReplyToLinux;
  truncated.pop_back();
  Bytes of_ieee_1394 = kReplyToLinux;
  of_ieee_1394[15] = 24;
  const Bytes kNonsense[] = {
      truncated, of_ieee_1394,
      arp(wire::kArpReply, kBroadcastMac, ip("10.0.0.2"), ip("10.0.0.1"), kOurMac),
      arp(wire::kArpReply, MacAddress{{1, 0, 0x5e}}, ip("10.0.0.2"), ip("10.0.0.1"), kOurMac),
      arp(wire::kArpReply, MacAddress{}, ip("10.0.0.2"), ip("10.0.0.1"), kOurMac)};
  Port port;
  port.resolve(ip("10.0.0.2"));
  port.take_events();
  for (const Bytes& frame : kNonsense)
    EXPECT_TRUE(port.receive(frame));
  EXPECT_EQ(port.link.malformed(), std::size(kNonsense));
  EXPECT_THAT(port.events, IsEmpty());
}

TEST(LinkArp, WhoAnnouncesItselfIsBelievedAtOnceAndOnlyWhenItIsKnown) {
  const Bytes request = arp_request(ip("10.0.0.2"), ip("10.0.0.2"), kOtherMac);
  Bytes reply = arp(wire::kArpReply, kOtherMac, ip("10.0.0.2"), ip("10.0.0.2"), kBroadcastMac);
  constexpr std::size_t kTargetMac = 32;
  std::ranges::copy(kOtherMac.bytes, reply.begin() + kTargetMac);
  for (const Bytes& announcement : {request, reply}) {
    Port port;
    port.receive(announcement);
    EXPECT_THAT(port.take_events(), IsEmpty());
    port.resolve(ip("10.0.0.2"));
    port.receive(kReplyToLinux);
    port.take_events();
    port.receive(announcement);
    EXPECT_THAT(port.events, ElementsAre("learned 10.0.0.2 02:00:00:00:00:03"));
  }
}

TEST(LinkArp, OfSeveralAnswersTheFirstCountsForASecond) {
  Port port;
  port.resolve(ip("10.0.0.2"));
  port.receive(arp_reply(ip("10.0.0.2"), kTheirMac));
  port.now += kLock;
  port.receive(arp_reply(ip("10.0.0.2"), kOtherMac));
  EXPECT_EQ(port.link.find(ip("10.0.0.2")), kTheirMac);
  port.now += milliseconds(1);
  port.receive(arp_reply(ip("10.0.0.2"), kOtherMac));
  EXPECT_EQ(port.link.find(ip("10.0.0.2")), kOtherMac);
}

TEST(LinkArp, OtherFramesAreNotTaken) {
  Port port;
  for (const char* frame :
       {"", "ffff ffff ffff 0200 0000 0001 08", "0200 0000 0001 0200 0000 0002 0800 4500 0014",
        "ffff ffff ffff 0200 0000 0002 8100 0001 0806"})
    EXPECT_FALSE(port.receive(hex(frame))) << frame;
}

}  // namespace link_arp_test

namespace link_discovery_test {

using overlane::testing::hex;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using namespace testing;
using wire::NeighbourMessage;

// Frames between two forwarding Linux 6.18 kernels on a veth pair (tcpdump).
const Bytes kQuestionOfLinux =
    hex("3333 ff00 0002 0200 0000 0001 86dd 6000 0000 0020 3aff 2001 0db8 0000 0000 0000"
        "0000 0000 0001 ff02 0000 0000 0000 0000 0001 ff00 0002 8700 1c27 0000 0000 2001"
        "0db8 0000 0000 0000 0000 0000 0002 0101 0200 0000 0001");
const Bytes kAnswerToLinux =
    hex("0200 0000 0001 0200 0000 0002 86dd 6000 0000 0020 3aff 2001 0db8 0000 0000 0000"
        "0000 0000 0002 2001 0db8 0000 0000 0000 0000 0000 0001 8800 0a71 e000 0000 2001"
        "0db8 0000 0000 0000 0000 0000 0002 0201 0200 0000 0002");
const Bytes kProbeToLinux =
    hex("0200 0000 0001 0200 0000 0002 86dd 6000 0000 0020 3aff fe80 0000 0000 0000 0000"
        "00ff fe00 0002 2001 0db8 0000 0000 0000 0000 0000 0001 8700 1cab 0000 0000 2001"
        "0db8 0000 0000 0000 0000 0000 0001 0101 0200 0000 0002");
const Bytes kAnswerOfLinux =
    hex("0200 0000 0002 0200 0000 0001 86dd 6000 0000 0018 3aff 2001 0db8 0000 0000 0000"
        "0000 0000 0001 fe80 0000 0000 0000 0000 00ff fe00 0002 8800 5eb5 c000 0000 2001"
        "0db8 0000 0000 0000 0000 0000 0001");
const Bytes kProbeOfLinux =
    hex("0200 0000 0002 0200 0000 0001 86dd 6000 0000 0020 3aff fe80 0000 0000 0000 0000"
        "00ff fe00 0001 fe80 0000 0000 0000 0000 00ff fe00 0002 8700 7d1b 0000 0000 fe80"
        "0000 0000 0000 0000 00ff fe00 0002 0101 0200 0000 0001");

/// An IPv6 packet that waits for 2001:db8::2.
const Bytes kWaiting =
    hex("6000 0000 0000 3b40 2001 0db8 0000 0000 0000 0000 0000 0001"
        "2001 0db8 0000 0000 0000 0000 0000 0002");

TEST(LinkDiscovery, AsksAndAnswersByteForByteAsLinux) {
  Port port;
  port.send(ip("2001:db8::2"), kWaiting);
  EXPECT_THAT(port.frames, ElementsAre(kQuestionOfLinux));
  EXPECT_TRUE(port.receive(kAnswerToLinux));
  EXPECT_EQ(port.link.find(ip("2001:db8::2")), kTheirMac);
  EXPECT_TRUE(port.receive(kProbeToLinux));
  EXPECT_EQ(port.frames.back(), kAnswerOfLinux);
  port.resolve(ip("fe80::ff:fe00:2"));
  port.pass(kDelay);
  EXPECT_EQ(port.frames.back(), kProbeOfLinux);
}

struct Row {
  const char* what;
  Bytes frame;
  std::vector<std::string> events;
};

const IpAddress kAsker = ip("2001:db8::2");

const Row kRows[] = {
    {"its own address is here",
     solicitation(kAsker, ip("2001:db8::1")),
     {"learned 2001:db8::2 02:00:00:00:00:02",
      "2001:db8::1 is at 02:00:00:00:00:01, says it to 2001:db8::2 at 02:00:00:00:00:02, router, "
      "solicited, override"}},
    {"its link-local address is here",
     solicitation(kAsker, ip("fe80::ff:fe00:1")),
     {"learned 2001:db8::2 02:00:00:00:00:02",
      "fe80::ff:fe00:1 is at 02:00:00:00:00:01, says it to 2001:db8::2 at 02:00:00:00:00:02, "
      "router, solicited, override"}},
    {"another address is not, for there is no proxy for all",
     solicitation(kAsker, ip("2001::9")),
     {}},
    {"an asker that does not say where it is goes without an answer",
     neighbour_frame({.target = ip("2001:db8::1").ipv6()}, kAsker, ip("ff02::1:ff00:1"),
                     {{0x33, 0x33, 0xff, 0, 0, 1}}),
     {}},
    {"unless it asks us alone",
     neighbour_frame({.target = ip("2001:db8::1").ipv6()}, kAsker, ip("2001:db8::1"), kOurMac),
     {"2001:db8::1 is here, says it to 2001:db8::2 at 02:00:00:00:00:02, router, solicited"}},
    {"a new address that is ours",
     neighbour_frame({.target = ip("2001:db8::1").ipv6()}, ip("::"), ip("ff02::1:ff00:1"),
                     {{0x33, 0x33, 0xff, 0, 0, 1}}),
     {"2001:db8::1 is at 02:00:00:00:00:01, says it to ff02::1 at 33:33:00:00:00:01, router, "
      "override"}},
    {"a new address that is not",
     neighbour_frame({.target = ip("2001:db8::7").ipv6()}, ip("::"), ip("ff02::1:ff00:7"),
                     {{0x33, 0x33, 0xff, 0, 0, 7}}),
     {}},
    {"an asker with our address", solicitation(ip("2001:db8::1"), ip("2001:db8::1")), {}},
    {"a question to another port",
     neighbour_frame({.target = ip("2001:db8::1").ipv6(), .mac = kTheirMac}, kAsker,
                     ip("2001:db8::1"), kOtherMac),
     {}},
    {"an answer that nobody waits for",
     advertisement(
         {.type = wire::kNeighbourAdvertisement, .target = kAsker.ipv6(), .mac = kTheirMac}),
     {}},
};

TEST(LinkDiscovery, SaysWhatIsHere) {
  for (const Row& row : kRows) {
    Port port({.answers = {.proxy_arp = true}});
    EXPECT_TRUE(port.receive(row.frame)) << row.what;
    EXPECT_EQ(port.events, row.events) << row.what;
    EXPECT_EQ(port.link.malformed(), 0u) << row.what;
  }
}

TEST(LinkDiscovery, NonsenseIsCountedAndIgnored) {
  const MacAddress group{{0x33, 0x33, 0xff, 0, 0, 1}};
  const NeighbourMessage question{.target = ip("2001:db8::1").ipv6(), .mac = kTheirMac};
  Bytes forwarded = kProbeToLinux;
  forwarded[21] = 254;
  Bytes damaged = kProbeToLinux;
  damaged.back() ^= 1;
  const Row kNonsense[] = {
      {"a hop limit below 255", forwarded, {}},
      {"a wrong checksum", damaged, {}},
      {"a multicast MAC",
       neighbour_frame({.target = question.target, .mac = group}, kAsker, ip("2001:db8::1"),
                       kOurMac),
       {}},
      {"a multicast target",
       neighbour_frame({.target = ip("ff02::1").ipv6(), .mac = kTheirMac}, kAsker,
                       ip("2001:db8::1"), kOurMac),
       {}},
      {"a multicast source",
       neighbour_frame(question, ip("ff02::2"), ip("2001:db8::1"), kOurMac),
       {}},
      {"a new address with a MAC",
       neighbour_frame(question, ip("::"), ip("ff02::1:ff00:1"), group),
       {}},
      {"a new address, asked of us",
       neighbour_frame({.target = question.target}, ip("::"), ip("2001:db8::1"), kOurMac),
       {}},
      {"an answer to all that says it was asked for",
       neighbour_frame({.type = wire::kNeighbourAdvertisement,
                        .solicited = true,
                        .target = kAsker.ipv6(),
                        .mac = kTheirMac},
                       kAsker, ip("ff02::1"), {{0x33, 0x33, 0, 0, 0, 1}}),
       {}},
  };
  for (const Row& row : kNonsense) {
    Port port;
    EXPECT_TRUE(port.receive(row.frame)) << row.what;
    EXPECT_THAT(port.events, IsEmpty()) << row.what;
    EXPECT_EQ(port.link.malformed(), 1u) << row.what;
  }
}

}  // namespace link_discovery_test

}  // namespace overlane::neighbour
